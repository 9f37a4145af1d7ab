"""Values of PostgreSQL: SQL type and literal, and the raw value of the event (default modes).

Every row is read at both front doors, by COPY in a snapshot and by pgoutput in the stream.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    """`type` and `literal` in SQL, `value` as the event has it. `setup` runs before the table is made."""

    type: str
    literal: str
    value: Any
    setup: str = ""


_DAY = 86_400_000_000
_MOOD = "CREATE TYPE mood AS ENUM ('sad', 'very happy', 'a,b')"

CASES = [
    Case("bool", "true", True), Case("bool", "false", False),
    Case("int2", "-32768", -32768), Case("int4", "2147483647", 2**31 - 1), Case("int8", "-9223372036854775808", -(2**63)),
    Case("int8", "9223372036854775807", 2**63 - 1), Case("oid", "4294967295", 2**32 - 1),
    Case("float4", "1.5", 1.5), Case("float8", "0.1", 0.1), Case("float8", "'-Infinity'", float("-inf")),
    Case("float8", "5e-324", 5e-324),
    Case("numeric(5,2)", "-999.99", -99999), Case("numeric(5,2)", "1.5", 150), Case("numeric(38,0)", "99999999999999999999999999999999999999", 10**38 - 1),
    Case("numeric(3,5)", "0.00123", 123), Case("numeric(40,20)", "12345678901234567890.12345678901234567890", 1234567890123456789012345678901234567890),
    Case("numeric", "123.4500", [2, (12345).to_bytes(2, "big")]), Case("numeric", "-0.5", [1, b"\xfb"]),
    Case("numeric", "0", [0, b"\0"]), Case("numeric", "100", [0, b"\x64"]), Case("numeric", "1e20", [0, (10**20).to_bytes(9, "big")]),
    Case("money", "'-1234567.89'", -123456789), Case("money", "0", 0),
    Case("bit", "B'1'", True), Case("bit(8)", "B'10101010'", b"\xaa"), Case("bit(8)", "B'00000000'", b""),
    Case("bit(65)", f"B'1{'0' * 63}1'", b"\x01\0\0\0\0\0\0\0\x01"), Case("varbit", "B'101'", b"\x05"),
    Case("char(5)", "'ab'", "ab   "), Case("varchar", "'naïve 😀'", "naïve 😀"), Case("text", "''", ""),
    Case("text", r"E'tab\tnl\ncr\rback\\slash\\N \x01 \b\f\x0b'", "tab\tnl\ncr\rback\\slash\\N \x01 \b\f\v"),
    Case("text", r"'\N'", "\\N"), Case("text", r"'\'", "\\"), Case('"char"', "'c'", "c"), Case("name", "'n'", "n"),
    Case("bytea", r"'\x0001ff'", b"\x00\x01\xff"), Case("bytea", "''", b""),
    Case("uuid", "'A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    Case("json", """'{"a" : 1,  "a":2}'""", '{"a" : 1,  "a":2}'), Case("jsonb", """'{"b":1.50,"a":[]}'""", '{"a": [], "b": 1.50}'),
    Case("xml", "'<a>é</a>'", "<a>é</a>"), Case("inet", "'192.168.1.5/24'", "192.168.1.5/24"), Case("cidr", "'10.0.0.0/8'", "10.0.0.0/8"),
    Case("macaddr", "'08:00:2b:01:02:03'", "08:00:2b:01:02:03"), Case("tsvector", "'a fat'", "'a' 'fat'"),
    Case("int4range", "'[1,5)'", "[1,5)"), Case("tsrange", "'[2020-01-01,2020-02-01)'", '["2020-01-01 00:00:00","2020-02-01 00:00:00")'),
    Case("date", "'1970-01-01'", 0), Case("date", "'2020-02-29'", 18321), Case("date", "'0044-03-15 BC'", -735160),
    Case("date", "'1500-01-01'", -171664), Case("date", "'5874897-12-31'", 2145042905), Case("date", "'infinity'", 2**31 - 1),
    Case("date", "'-infinity'", -(2**31)),
    Case("time", "'12:34:56.789012'", 45_296_789_012), Case("time(3)", "'12:34:56.789'", 45_296_789), Case("time", "'24:00:00'", _DAY),
    Case("timetz", "'01:02:03.5+02'", "23:02:03.5Z"), Case("timetz", "'12:00:00-05:30'", "17:30:00Z"),
    Case("timestamp", "'1970-01-01 00:00:00.000001'", 1), Case("timestamp", "'1969-12-31 23:59:59.999999'", -1),
    Case("timestamp(3)", "'2020-01-02 03:04:05.678'", 1_577_934_245_678), Case("timestamp(0)", "'2020-01-02 03:04:05'", 1_577_934_245_000),
    Case("timestamp", "'0044-03-15 01:02:03 BC'", -735160 * _DAY + 3_723_000_000),
    Case("timestamp", "'294276-12-31 23:59:59'", 9_224_318_015_999_000_000), Case("timestamp", "'infinity'", 9_223_372_036_825_200_000),
    Case("timestamp", "'-infinity'", -9_223_372_036_832_400_000),
    Case("timestamptz", "'2020-01-02 03:04:05.5+02'", "2020-01-02T01:04:05.500000Z"), Case("timestamptz(0)", "'2020-01-02 03:04:05+00'", "2020-01-02T03:04:05Z"),
    Case("timestamptz", "'infinity'", "infinity"), Case("timestamptz", "'-infinity'", "-infinity"),
    Case("timestamptz", "'0044-03-15 01:02:03+00 BC'", "-0043-03-15T01:02:03.000000Z"),
    Case("interval", "'1 year 2 mons 3 days 04:05:06.789'", 37_091_106_789_000), Case("interval", "'-1 mon +2 days -3:00'", -2_467_800_000_000),
    Case("interval", "'0'", 0), Case("point", "'(1.5,-2)'", [1.5, -2.0, b"\x01\x01\0\0\0\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0", None]),
    Case("mood", "'very happy'", "very happy", _MOOD), Case("mood", "'a,b'", "a,b", _MOOD),
    Case("amount", "9.99", 999, "CREATE DOMAIN amount AS numeric(10,2)"), Case("amount2", "1", 100, "CREATE DOMAIN amount AS numeric(10,2); CREATE DOMAIN amount2 AS amount"),
    Case("hstore", """'a=>1,"b c"=>NULL,é=>"q\\"q"'""", '{"a":"1","é":"q\\"q","b c":null}', "CREATE EXTENSION hstore"),
    Case("int4[]", "'{1,NULL,-5}'", [1, None, -5]), Case("int4[]", "'{}'", []), Case("int4[]", "'[0:1]={7,8}'", [7, 8]),
    Case("int4[]", "'{{1,2},{3,4}}'", [None, None]), Case("bool[]", "'{t,f}'", [True, False]),
    Case("text[]", r"""ARRAY['a','b c','d"q',NULL,'NULL','',E'\\','é','{x}','1,2']""", ["a", "b c", 'd"q', None, "NULL", "", "\\", "é", "{x}", "1,2"]),
    Case("numeric(8,3)[]", "'{1.125,NULL}'", [1125, None]), Case("numeric[]", "'{2.50}'", [[1, b"\x19"]]),
    Case("timestamptz[]", "'{\"2020-01-01 00:00:00+02\"}'", ["2019-12-31T22:00:00.000000Z"]), Case("date[]", "'{1970-01-02}'", [1]),
    Case("time[]", "'{12:34:56.789012}'", [45_296_789_012]), Case("uuid[]", "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    Case("jsonb[]", """ARRAY['{"b": [1]}'::jsonb]""", ['{"b": [1]}']), Case("bytea[]", r"ARRAY['\x00ff'::bytea]", [b"\0\xff"]),
    Case("mood[]", "'{sad,\"a,b\"}'", ["sad", "a,b"], _MOOD), Case("bit(3)[]", "'{101,010}'", [b"\x05", b"\x02"]),
]  # fmt: skip
