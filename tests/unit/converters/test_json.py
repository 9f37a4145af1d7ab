"""The JSON converter: bytes for schemas and values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater._javatext import decimal_text, double_text, float_text
from headwater.converters.json_cy import JsonConverter
from headwater.errors import ConversionError
from headwater.model import Schema, Struct
from headwater.model.schema import (
    BOOLEAN,
    BYTES,
    DECIMAL,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    OPTIONAL_INT32,
    OPTIONAL_STRING,
    STRING,
    struct,
)

PLAIN = JsonConverter(schemas=False)
FULL = JsonConverter()
MONEY = Schema("bytes", name=DECIMAL, version=1, parameters={"scale": "2"})
ENUM = Schema("string", optional=True, name="io.debezium.data.Enum", version=1, parameters={"allowed": "a,b"}, default="a")


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (INT8, -128, "-128"),
        (INT16, 32767, "32767"),
        (INT32, -(2**31), "-2147483648"),
        (INT64, 2**63 - 1, "9223372036854775807"),
        (BOOLEAN, True, "true"),
        (BOOLEAN, False, "false"),
        (STRING, "", '""'),
        (STRING, 'q"b\\s/<>&\u007f\u2028', '"q\\"b\\\\s/<>&\u007f\u2028"'),
        (STRING, "\b\f\n\r\t\x00\x1f", '"\\b\\f\\n\\r\\t\\u0000\\u001F"'),
        (STRING, "é日", '"é日"'),
        (STRING, "😀", '"\\uD83D\\uDE00"'),
        (BYTES, b"", '""'),
        (BYTES, b"\x00\xff", '"AP8="'),
        # 123.45 at scale 2 is 12345 = 0x3039
        (MONEY, 12345, '"MDk="'),
        (MONEY, 0, '"AA=="'),
        (MONEY, -1, '"/w=="'),
        (MONEY, 127, '"fw=="'),
        (MONEY, 128, '"AIA="'),
        (MONEY, -128, '"gA=="'),
        (MONEY, 10**30, '"DJ8snNBGdO3qQAAAAA=="'),
        (FLOAT64, 1.0, "1.0"),
        (FLOAT64, 1e7, "1.0E7"),
        (FLOAT64, 9999999.0, "9999999.0"),
        (FLOAT64, 0.001, "0.001"),
        (FLOAT64, 0.00099, "9.9E-4"),
        (FLOAT64, 123456789.123, "1.23456789123E8"),
        (FLOAT64, -0.0, "-0.0"),
        (FLOAT64, float("nan"), '"NaN"'),
        (FLOAT64, float("-inf"), '"-Infinity"'),
        (FLOAT32, 1.100000023841858, "1.1"),
        (FLOAT32, 3.4e38, "3.4E38"),
        (FLOAT32, 16777216.0, "1.6777216E7"),
        (OPTIONAL_INT32, None, "null"),
        (ENUM, None, '"a"'),
        (Schema("array", items=INT32), [1, 2], "[1,2]"),
        (Schema("array", items=INT32), [], "[]"),
        (Schema("map", keys=STRING, values=OPTIONAL_INT32), {"x": 1, "y": None}, '{"x":1,"y":null}'),
        (Schema("map", keys=INT32, values=STRING), {1: "a", 2: "b"}, '[[1,"a"],[2,"b"]]'),
        (struct("s", ("a", INT32), ("b", OPTIONAL_STRING)), [1, None], '{"a":1,"b":null}'),
        (struct("s"), [], "{}"),
    ],
)  # fmt: skip
def test_payload(schema: Schema, value: Any, text: str) -> None:
    assert PLAIN.from_connect("t", schema, value) == text.encode()


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (INT32, '{"type":"int32","optional":false}'),
        (
            ENUM,
            '{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,'
            '"parameters":{"allowed":"a,b"},"default":"a"}',
        ),
        (
            struct("p.T.Key", ("id", INT64), ("n", Schema("int32", default=5))),
            '{"type":"struct","fields":[{"type":"int64","optional":false,"field":"id"},'
            '{"type":"int32","optional":false,"default":5,"field":"n"}],"optional":false,"name":"p.T.Key"}',
        ),
        (
            Schema("map", keys=STRING, values=STRING, default={"x": "y"}, doc="d"),
            '{"type":"map","keys":{"type":"string","optional":false},"values":{"type":"string","optional":false},'
            '"optional":false,"doc":"d","default":{"x":"y"}}',
        ),
        (
            Schema("bytes", optional=True, name=DECIMAL, version=1, parameters={"scale": "3"}, default=3140),
            '{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,'
            '"parameters":{"scale":"3"},"default":"DEQ="}',
        ),
    ],
)
def test_schema_text(schema: Schema, text: str) -> None:
    from headwater.converters.jsonschema import schema_text

    assert schema_text(schema) == text


def test_envelope_and_nulls() -> None:
    assert FULL.from_connect("t", None, None) is None
    assert FULL.from_connect("t", OPTIONAL_INT32, None) == b'{"schema":{"type":"int32","optional":true},"payload":null}'
    assert PLAIN.from_connect("t", OPTIONAL_INT32, None) == b"null"
    assert FULL.from_connect("t", None, {"a": 1}) == b'{"schema":null,"payload":{"a":1}}'


def test_null_is_kept_without_replacement() -> None:
    assert JsonConverter(schemas=False, replace_null=False).from_connect("t", ENUM, None) == b"null"


def test_numeric_decimals() -> None:
    assert JsonConverter(schemas=False, numeric=True).from_connect("t", MONEY, -100) == b"-1.00"


@pytest.mark.parametrize(
    ("schema", "value", "where"),
    [
        (struct("p.V", ("id", INT32), ("n", STRING)), [1, 5], "p.V at n"),
        (struct("p.V", ("id", INT32)), [None], "null for a required field"),
        (struct("p.V", ("id", INT32)), [2**31], "does not fit int32"),
        (struct("p.V", ("id", INT32)), ["1"], "an integer is expected"),
        (struct("p.V", ("id", INT32)), [1, 2], "2 values for 1 fields"),
        (BOOLEAN, 1, "a boolean is expected"),
        (INT64, True, "an integer is expected"),
    ],
)
def test_values_that_do_not_fit(schema: Schema, value: Any, where: str) -> None:
    with pytest.raises(ConversionError, match="topic orders") as caught:
        FULL.from_connect("orders", schema, value)
    assert where in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.0, "2.0"), (100.0, "100.0"), (1e21, "1.0E21"), (5e-324, "4.9E-324"), (1.7976931348623157e308, "1.7976931348623157E308")],
)
def test_double_text(value: float, text: str) -> None:
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (3.4028234663852886e38, "3.4028235E38"), (1.4e-45, "1.4E-45"), (1e39, "Infinity")]
)
def test_float_text(value: float, text: str) -> None:
    assert float_text(value) == text


@pytest.mark.parametrize(
    ("unscaled", "scale", "text"), [(12345, 2, "123.45"), (100, 2, "1.00"), (1, -3, "1E+3"), (1, 9, "1E-9"), (-5, 3, "-0.005")]
)
def test_decimal_text(unscaled: int, scale: int, text: str) -> None:
    assert decimal_text(unscaled, scale) == text


ROW = struct("r", ("i", INT64), ("s", OPTIONAL_STRING), ("d", FLOAT64), ("b", BYTES), ("m", MONEY))


@given(
    st.tuples(
        st.integers(-(2**63), 2**63 - 1), st.none() | st.text(), st.floats(allow_nan=False, allow_infinity=False), st.binary(),
        st.integers(-(10**40), 10**40),
    )
)  # fmt: skip
def test_round_trip(values: tuple[Any, ...]) -> None:
    if values[1] is not None and any(0xD800 <= ord(c) <= 0xDFFF for c in values[1]):
        return
    data = FULL.from_connect("t", ROW, list(values))
    assert data is not None
    json.loads(data)
    schema, back = FULL.to_connect("t", data)
    assert schema == ROW
    assert back == list(values)


def test_struct_and_list_are_the_same() -> None:
    assert PLAIN.from_connect("t", ROW, Struct(ROW, [1, None, 1.0, b"", 0])) == PLAIN.from_connect("t", ROW, [1, None, 1.0, b"", 0])


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"payload":1}', b'{"schema":{"type":"int99"},"payload":1}',
                                  b'{"schema":{"type":"int32"},"payload":"x"}', b'{"schema":{"type":"bytes"},"payload":"%"}'])  # fmt: skip
def test_reading_is_strict(data: bytes) -> None:
    with pytest.raises(ConversionError, match="topic t"):
        FULL.to_connect("t", data)
