"""Option declarations: every property is declared once; parsing, errors, warnings and docs come from here.

Knows text and types; must not know a connector, a file form or the command line.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.config.patterns import PatternError, RegexList, split_list
from headwater.errors import ConfigError, ConfigProblem

MASK = "********"
_WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,19}\s*")


class Resolved(str):
    """Text that a reference such as `${env:NAME}` led to; never shown."""

    __slots__ = ()


Validator = Callable[[Any, Mapping[str, str]], str | None]


@dataclass(frozen=True, slots=True)
class Option:
    """One property, or a family of properties (`pattern`: a regex the whole key must match).

    `type` is one of string, password, int, long, bool, enum, list, regex_list, class, map. `validator(value, raw)`
    returns the rule that is broken, or None. `excludes` names options that may not be given together with this one.
    `folded`: a list whose words are read in lower case.
    `built` False: accepted and declared, but without effect yet; setting it gives a warning.
    """

    key: str
    type: str = "string"
    default: Any = None
    doc: str = ""
    allowed: tuple[str, ...] = ()
    validator: Validator | None = None
    required: bool = False
    excludes: tuple[str, ...] = ()
    example: str | None = None
    group: str = "Connector"
    importance: str = "medium"
    deprecated: str | None = None
    built: bool = True
    pattern: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    folded: bool = False

    @property
    def secret(self) -> bool:
        return self.type == "password"

    def matches(self, key: str) -> bool:
        if self.pattern is not None:
            return re.fullmatch(self.pattern, key) is not None
        return key == self.key

    def parse(self, text: str) -> Any:
        """Text -> typed value. Raises ValueError with the broken rule."""
        return _PARSERS[self.type](self, text)


def _int(option: Option, text: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(text):
        raise ValueError("An integer is expected")
    value = int(text)
    if option.minimum == 1 and value < 1:
        kind = "long" if option.type == "long" else "integer"
        raise ValueError(f"A positive, non-zero {kind} value is expected")
    if option.minimum == 0 and value < 0:
        raise ValueError(
            "A non-negative long value is expected" if option.type == "long" else "An non-negative integer is expected"
        )
    if option.minimum is not None and value < option.minimum:
        raise ValueError(f"A value of at least {option.minimum} is expected")
    if option.maximum is not None and value > option.maximum:
        raise ValueError(f"A value of at most {option.maximum} is expected")
    if not -(2**63) <= value < 2**63 or (option.type == "int" and not -(2**31) <= value < 2**31):
        raise ValueError("An integer is expected")
    return value


def _bool(option: Option, text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "false"):
        raise ValueError("Either 'true' or 'false' is expected")
    return word == "true"


def _enum(option: Option, text: str) -> str:
    word = text.strip().lower()
    allowed = {a.lower(): a.lower() for a in option.allowed}
    if word not in allowed:
        raise ValueError("Value must be one of " + ", ".join(option.allowed))
    return allowed[word]


def _regex_list(option: Option, text: str) -> RegexList:
    try:
        return RegexList(text)
    except PatternError as e:
        raise ValueError(f"A comma-separated list of valid regular expressions is expected, but {e}") from e


def _map(option: Option, text: str) -> dict[str, str]:
    out = {}
    for part in split_list(text):
        key, sep, value = part.partition("=")
        if not sep or not key.strip():
            raise ValueError("A equivalent-separated map of valid key/value pairs is expected, e.g. k1=v1,k2=v2")
        out[key.strip()] = value.strip()
    return out


def _string(option: Option, text: str) -> str:
    return str(text)  # a plain str, also from a Resolved


def _list(option: Option, text: str) -> list[str]:
    values = split_list(text)
    if option.allowed:
        for v in values:
            if v.lower() not in option.allowed:
                raise ValueError("Values must be among " + ", ".join(option.allowed))
    return [v.lower() for v in values] if option.allowed or option.folded else values


_PARSERS: dict[str, Callable[[Option, str], Any]] = {
    "string": _string, "password": _string, "class": _string, "int": _int, "long": _int, "bool": _bool,
    "enum": _enum, "list": _list, "regex_list": _regex_list, "map": _map,
}  # fmt: skip


class Config(Mapping[str, Any]):
    """Typed values of every declared option, and the raw text behind them."""

    def __init__(self, values: dict[str, Any], raw: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._values = values
        self.raw: dict[str, str] = dict(raw)
        self._secrets = frozenset(secrets)

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def is_set(self, key: str) -> bool:
        """Whether the user gave the option."""
        return key in self.raw

    def prefixed(self, prefix: str) -> dict[str, str]:
        """Raw properties that start with `prefix`, without it."""
        return {k[len(prefix) :]: v for k, v in self.raw.items() if k.startswith(prefix)}

    def __repr__(self) -> str:
        shown = {k: MASK if k in self._secrets or is_hidden(k, v) else v for k, v in self.raw.items()}
        return f"Config({shown!r})"


_SECRET = re.compile(
    r".*secret$|.*password$|.*sasl\.jaas\.config$|.*basic\.auth\.user\.info|.*registry\.auth\.client-secret"
    r"|.*credentials\.json$|.*connectionstring$|.*connection\.string$|.*token$|.*apikey$|.*api\.key$",
    re.IGNORECASE,
)


def is_secret(key: str) -> bool:
    """Whether a property's value must not be shown."""
    return _SECRET.fullmatch(key) is not None


def is_hidden(key: str, value: str) -> bool:
    """Whether a value must not be shown: its key says so, or it came out of a file or variable of secrets."""
    return isinstance(value, Resolved) or is_secret(key)


@dataclass(slots=True)
class OptionSet:
    """Options in order; `+` joins two sets (the right one's declaration of a key wins).

    `renamed`: old name -> (today's name, value map). `accepted`: key prefixes that belong to others
    (producers, drivers, converters) and are not looked at here.
    """

    options: list[Option] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    values_renamed: dict[str, dict[str, str]] = field(default_factory=dict)
    accepted: tuple[str, ...] = ()

    def __add__(self, other: OptionSet) -> OptionSet:
        mine = {o.key: o for o in self.options}
        mine.update({o.key: o for o in other.options})
        return OptionSet(
            list(mine.values()),
            {**self.renamed, **other.renamed},
            {**self.values_renamed, **other.values_renamed},
            (*self.accepted, *other.accepted),
        )

    def find(self, key: str) -> Option | None:
        """The option a key belongs to: by name, else by pattern."""
        by_name = next((o for o in self.options if o.pattern is None and o.key == key), None)
        return by_name or next((o for o in self.options if o.pattern is not None and o.matches(key)), None)

    # -- names of older releases

    def translate(self, raw: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        """Today's names and values for older ones, and a warning for each."""
        out, notes = {}, []
        for key, value in raw.items():
            new = self._today(key)
            if new != key:
                notes.append(f"{key} is an older name: use {new}")
                if new in raw:
                    notes[-1] += f" (both are given; {new} is used)"
                    continue
            mapped = self.values_renamed.get(new, {}).get(value.strip().lower())
            if mapped is not None:
                notes.append(f"{new}={value} is an older value: use {mapped}")
                value = mapped
            out[new] = value
        return out, notes

    def _today(self, key: str) -> str:
        if key in self.renamed:
            return self.renamed[key]
        for old, new in self.renamed.items():
            if old.endswith(".*") and key.startswith(old[:-1]):
                return new[:-1] + key[len(old) - 1 :]
        return key

    # -- parsing

    def parse(self, raw: Mapping[str, str]) -> Config:
        """Typed values. Raises ConfigError with every problem."""
        settings, _ = self.translate(raw)
        values, problems = self._evaluate(settings)
        if problems:
            raise ConfigError(problems)
        return Config(values, settings, [o.key for o in self.options if o.secret])

    def problems(self, raw: Mapping[str, str]) -> list[ConfigProblem]:
        """Every problem of a configuration; empty if it is valid."""
        return self._evaluate(self.translate(raw)[0])[1]

    def _evaluate(self, raw: Mapping[str, str]) -> tuple[dict[str, Any], list[ConfigProblem]]:
        values: dict[str, Any] = {}
        problems: list[ConfigProblem] = []
        for option in self.options:
            if option.pattern is not None:
                for key in [k for k in raw if option.matches(k)]:
                    self._one(option, key, raw, values, problems)
                continue
            self._one(option, option.key, raw, values, problems)
        return values, problems

    def _one(self, option: Option, key: str, raw: Mapping[str, str], values: dict[str, Any],
             problems: list[ConfigProblem]) -> None:  # fmt: skip
        text = raw.get(key)
        values[key] = option.default
        if text is None or (text.strip() == "" and option.type != "string"):
            if option.required:
                problems.append(ConfigProblem(key, None, "A value is required", option.example))
            return
        hidden = option.secret or is_hidden(key, text)
        shown = MASK if hidden else text
        if option.required and not text.strip():
            problems.append(ConfigProblem(key, shown, "A value is required", option.example))
            return
        try:
            value = option.parse(text)
        except ValueError as e:
            # The rule of a pattern quotes the pattern.
            rule = _HIDDEN_RULE if hidden and option.type == "regex_list" else str(e)
            problems.append(ConfigProblem(key, shown, rule, option.example or _example(option)))
            return
        values[key] = value
        if option.validator is not None and (broken := option.validator(value, raw)) is not None:
            # A validator's text may quote the value.
            problems.append(ConfigProblem(key, shown, _HIDDEN_RULE if hidden else broken, option.example))
        for other in option.excludes:
            if raw.get(other):
                problems.append(ConfigProblem(key, shown, f'"{other}" is already specified', None))

    # -- warnings

    def warnings(self, raw: Mapping[str, str]) -> list[str]:
        """Older names, deprecated, unknown and not yet effective properties, one text each."""
        settings, notes = self.translate(raw)
        known = [o.key for o in self.options if o.pattern is None]
        for key, value in settings.items():
            option = self.find(key)
            if option is None:
                # A driver's own setting is fine; a slip of the pen in a filter would capture other tables than meant.
                if not key.startswith(self.accepted) or difflib.get_close_matches(key, known, n=1, cutoff=_SLIP):
                    notes.append(_unknown(key, known))
            elif option.deprecated:
                notes.append(f"{key} is deprecated: {option.deprecated}")
            elif not option.built and not self._is_default(option, value):
                notes.append(f"{key} has no effect yet in this release")
        return notes

    @staticmethod
    def _is_default(option: Option, text: str) -> bool:
        try:
            return bool(option.parse(text) == option.default)
        except ValueError:
            return False

    def describe(self) -> list[dict[str, Any]]:
        """Plain facts of every option, for reference pages and the REST API."""
        return [
            {"key": o.key, "type": o.type, "default": o.default, "allowed": list(o.allowed), "doc": o.doc,
             "group": o.group, "importance": o.importance, "required": o.required, "built": o.built,
             "deprecated": o.deprecated}
            for o in self.options
        ]  # fmt: skip


_SLIP = 0.9
_HIDDEN_RULE = "The value does not have the form of this property"


def _unknown(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.75)
    return f"{key} is not a known property" + (f": did you mean {near[0]}?" if near else "")


def _example(option: Option) -> str | None:
    if option.default is not None and not isinstance(option.default, (list, RegexList)):
        return str(option.default).lower() if isinstance(option.default, bool) else str(option.default)
    return {"int": "100", "long": "100", "bool": "true", "regex_list": "inventory[.]orders,inventory[.]customers"}.get(
        option.type
    )
