"""Whole records as lines of JSON, for sinks that write text."""

from __future__ import annotations

from headwater.converters.json_cy import JsonConverter
from headwater.model import Record

_converter = JsonConverter()
_plain = JsonConverter(schemas=False)


def json_line(record: Record) -> bytes:
    """`{"topic","key","value","headers","partition","offset"}` and a line feed.

    Key, value and headers are the JSON converter's whole output (schema and payload) or null; partition
    and offset are the source maps.
    """
    import orjson

    topic = record.topic
    key = _converter.from_connect(topic, record.key_schema, record.key)
    value = _converter.from_connect(topic, record.value_schema, record.value)
    headers = {h.name: _converter.from_connect(topic, h.schema, h.value) for h in record.headers}
    shown = b",".join(orjson.dumps(n) + b":" + (v or b"null") for n, v in headers.items())
    return b"".join((
        b'{"topic":', orjson.dumps(topic), b',"key":', key or b"null", b',"value":', value or b"null",
        b',"headers":{', shown, b'},"partition":', orjson.dumps(record.source_partition),
        b',"offset":', orjson.dumps(record.source_offset), b"}\n",
    ))  # fmt: skip


def plain_line(record: Record) -> bytes:
    """`{"topic","key","value"}` with payloads only, and a line feed."""
    import orjson

    key = _plain.from_connect(record.topic, record.key_schema, record.key)
    value = _plain.from_connect(record.topic, record.value_schema, record.value)
    return b"".join((
        b'{"topic":', orjson.dumps(record.topic), b',"key":', key or b"null", b',"value":', value or b"null", b"}\n",
    ))  # fmt: skip
