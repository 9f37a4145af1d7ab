"""The text form of arrays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.connectors.postgres.arrays import parse_array


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("{}", []), ("{1}", ["1"]), ("{1,NULL,3}", ["1", None, "3"]), ('{"NULL",null}', ["NULL", "null"]),
        (r'{a,"b c","d\"q","","\\"}', ["a", "b c", 'd"q', "", "\\"]), ('{"{x}","1,2"}', ["{x}", "1,2"]),
        ("[0:1]={7,8}", ["7", "8"]), ("[0:0][5:6]={{1,2}}", [["1", "2"]]), ("{{1,2},{3,4}}", [["1", "2"], ["3", "4"]]),
        ('{{"a,b"},{NULL}}', [["a,b"], [None]]), ("{{{1}}}", [[["1"]]]),
    ],
)  # fmt: skip
def test_array(text: str, items: list[Any]) -> None:
    assert parse_array(text) == items


@pytest.mark.parametrize("text", ["", "1", "{", "{1", "{1,", '{"a', '{"a\\', "{1}2", '{"a"}x', "{{1}", "{1}}", '{"a"b}', "[0:1]",
                                  "{{{{{{{1}}}}}}}", "{" * 100_000])  # fmt: skip
def test_text_that_is_no_array(text: str) -> None:
    with pytest.raises(ValueError):
        parse_array(text)


@given(st.lists(st.one_of(st.none(), st.text())))
def test_any_array(items: list[str | None]) -> None:
    quoted = ("NULL" if i is None else '"' + i.replace("\\", "\\\\").replace('"', '\\"') + '"' for i in items)
    assert parse_array("{" + ",".join(quoted) + "}") == items
