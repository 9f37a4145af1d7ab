"""Sinks that write text: lines, names of files, damage, terminals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headwater.errors import ConfigError, SinkError
from headwater.model import Record
from headwater.model import schema as s
from headwater.sinks import create, parse_target
from headwater.sinks.base import Batch
from headwater.sinks.file import MAX_OPEN, FileSink, file_name
from headwater.sinks.null import NullSink
from headwater.sinks.pretty import PrettySink
from headwater.sinks.records import RecordsSink
from headwater.sinks.stdout import StdoutSink

ROW = s.struct("srv.d.t.Value", ("id", s.INT32), ("v", s.OPTIONAL_STRING), optional=True)
KEY = s.struct("srv.d.t.Key", ("id", s.INT32))
ENVELOPE = s.struct(
    "srv.d.t.Envelope", ("before", ROW), ("after", ROW), ("source", s.struct("x", ("db", s.STRING))), ("op", s.STRING)
)


def change(op: str, before: list[object] | None, after: list[object] | None) -> Record:
    number = (after or before or [0])[0]
    return Record("srv.d.t", KEY, [number], ENVELOPE, [before, after, ["d"], op], {"server": "srv"}, {"pos": 4})


def parts(*pairs: tuple[str, bytes | None, bytes | None]) -> Batch:
    return Batch(
        [Record(t, None, None, None, None) for t, _, _ in pairs], [k for _, k, _ in pairs], [v for _, _, v in pairs],
        [()] * len(pairs),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "target"),
    [
        ("stdout", "stdout", ""),
        ("null", "null", ""),
        ("records:out.jsonl", "records", "out.jsonl"),
        ("records:/tmp/a:b", "records", "/tmp/a:b"),
        ("file:events", "file", "events"),
        ("file:///var/events", "file", "/var/events"),
        ("kafka://a:9092,b:9092", "kafka", "a:9092,b:9092"),
    ],
)
def test_parse_target(text: str, name: str, target: str) -> None:
    assert parse_target(text) == (name, target)


@pytest.mark.parametrize("text", ["nowhere", "kafka", "kafka://", "file", "records:", ""])
def test_bad_targets(text: str) -> None:
    with pytest.raises(ConfigError):
        create(text, {})


# Bytes of a converter -> what stands in the line.
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (None, b"null"),
        (b'{"a":1}', b'{"a":1}'),
        (b"12345678901234567890123", b"12345678901234567890123"),
        (b'{\n "a": 1\n}', b'{  "a": 1 }'),
        (b"", b'""'),
        (b"true story", b'"true story"'),
        (b"[x", b'"[x"'),
        (b"Struct{id=1}\n", b'"Struct{id=1}\\n"'),
        (b'"quoted"', b'"quoted"'),
        ("é".encode(), '"é"'.encode()),
    ],
)
def test_file_lines(tmp_path: Path, data: bytes | None, expected: bytes) -> None:
    sink = FileSink(tmp_path)
    sink.open()
    sink.write(parts(("t", data, b"1")))
    sink.flush()
    sink.close()
    line = (tmp_path / "t.jsonl").read_bytes()
    assert line == b'{"key":' + expected + b',"value":1}\n'
    json.loads(line)


def test_file_sink_refuses_binary(tmp_path: Path) -> None:
    sink = FileSink(tmp_path)
    sink.open()
    with pytest.raises(SinkError, match=r"topic srv\.d\.t .*JSON converter"):
        sink.write(parts(("srv.d.t", None, b"\x00\xff\xfe")))
    sink.close()
    assert list(tmp_path.iterdir()) == []


def test_file_names() -> None:
    assert file_name("srv.d.t") == "srv.d.t.jsonl"
    names = {file_name(t) for t in ("a/b", "a_b", "a:b", "", "..", "x" * 300, "x" * 301)}
    assert len(names) == 7
    assert all("/" not in n and len(n) < 255 and n not in (".", "..") for n in names)


def test_more_topics_than_open_files(tmp_path: Path) -> None:
    sink = FileSink(tmp_path)
    sink.open()
    topics = [f"t{n}" for n in range(MAX_OPEN + 20)]
    for _ in range(2):
        sink.write(parts(*((t, None, b"1") for t in topics)))
        assert len(sink._files) == MAX_OPEN
    sink.flush()
    sink.close()
    assert {p.read_bytes() for p in tmp_path.iterdir()} == {b'{"key":null,"value":1}\n' * 2}
    assert len(list(tmp_path.iterdir())) == len(topics)


def test_a_torn_line_does_not_swallow_the_next_record(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"key":null,"value":1}\n{"key":null,"val')
    sink = FileSink(tmp_path)
    sink.open()
    sink.write(parts(("t", None, b"2")))
    sink.close()
    assert path.read_bytes() == b'{"key":null,"value":1}\n{"key":null,"value":2}\n'


def test_records_sink_cuts_a_torn_line_and_is_there_after_each_write(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b'{"topic":"a"}\n{"top')
    sink = RecordsSink(path)
    sink.open()
    sink.write(Batch([change("c", None, [1, "x"])], [], [], []))
    lines = path.read_bytes().splitlines()
    sink.close()
    assert lines[0] == b'{"topic":"a"}'
    found = json.loads(lines[1])
    assert list(found) == ["topic", "key", "value", "headers", "partition", "offset"]
    assert found["value"]["payload"]["after"] == {"id": 1, "v": "x"}
    assert (found["partition"], found["offset"]) == ({"server": "srv"}, {"pos": 4})


@pytest.mark.parametrize("kind", ["records", "file"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, kind: str) -> None:
    (tmp_path / "x").write_bytes(b"")
    sink = create(f"{kind}:{tmp_path}/x/y", {})
    with pytest.raises(SinkError, match=str(tmp_path / "x")):
        sink.open()


def test_stdout_lines(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    StdoutSink().write(Batch([change("d", [1, "x"], None), Record("t", None, None, None, None)], [], [], []))
    first, second = capfdbinary.readouterr().out.splitlines()
    assert json.loads(first) == {
        "topic": "srv.d.t", "key": {"id": 1},
        "value": {"before": {"id": 1, "v": "x"}, "after": None, "source": {"db": "d"}, "op": "d"},
    }  # fmt: skip
    assert second == b'{"topic":"t","key":null,"value":null}'


def test_null_sink_counts(capsys: pytest.CaptureFixture[str]) -> None:
    sink = NullSink()
    sink.open()
    sink.write(parts(("t", b"ab", b"cde"), ("t", None, None)))
    sink.write(parts(("t", None, b"x")))
    sink.close()
    assert (sink.events, sink.bytes) == (3, 6)
    assert capsys.readouterr().err.startswith("3 events, 6 bytes, ")


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (change("c", None, [1, "x"]), "insert   d.t [1] id=1, v=x"),
        (change("u", [1, "x"], [1, None]), "update   d.t [1] v: x -> null"),
        (change("u", [1, "x"], [1, "x"]), "update   d.t [1] (no value changed)"),
        (change("d", [1, "x"], None), "delete   d.t [1] id=1, v=x"),
        (change("r", None, [1, "y" * 50]), f"read     d.t [1] id=1, v={'y' * 39}…"),
        # A value must not steer the terminal or break the line.
        (change("c", None, [1, "\x1b[2J\n"]), "insert   d.t [1] id=1, v=\\x1b[2J\\n"),
        (Record("t", None, None, None, None), None),
    ],
)
def test_pretty_lines(record: Record, line: str | None) -> None:
    assert PrettySink(colour=False).line(record) == line


def test_pretty_colours() -> None:
    assert "\x1b[32minsert" in (PrettySink(colour=True).line(change("c", None, [1, "x"])) or "")
