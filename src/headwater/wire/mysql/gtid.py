"""GTID sets of MySQL (`uuid[:tag]:1-5:7`) and MariaDB (`domain-server-sequence`).

Pure set arithmetic over text forms; no server.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Self

from headwater.errors import DecodeError

_UUID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}")
_INTERVAL = re.compile(r"([0-9]{1,19})(?:-([0-9]{1,19}))?")
_MARIADB = re.compile(r"([0-9]{1,10})-([0-9]{1,10})-([0-9]{1,20})")
MAX_TEXT = 16 * 1024 * 1024

# (uuid, tag) -> sorted, disjoint, non-adjacent [start, end] pairs, both inclusive
_Source = tuple[str, str]


class GtidSet:
    """A set of GTIDs. One class for both servers: MariaDB's keeps the last sequence of each domain and server."""

    __slots__ = ("_intervals", "mariadb")

    def __init__(self, *, mariadb: bool = False) -> None:
        self.mariadb = mariadb
        self._intervals: dict[_Source, list[list[int]]] = {}

    # -- text

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a set; blanks and line ends are allowed. Raises DecodeError."""
        if len(text) > MAX_TEXT:
            raise DecodeError("a GTID set of more than 16 MiB of text")
        parts = [p.strip() for p in re.sub(r"\s+", "", text).split(",") if p.strip()]
        out = cls(mariadb=bool(parts) and _MARIADB.fullmatch(parts[0]) is not None)
        for part in parts:
            if out.mariadb:
                if not _MARIADB.fullmatch(part):
                    raise DecodeError(f"{part!r} is not a GTID of MariaDB")
                out.add(part)
            else:
                out._parse_source(part)
        return out

    def _parse_source(self, part: str) -> None:
        pieces = part.split(":")
        uuid = _uuid(pieces[0])
        tag = ""
        if len(pieces) < 2:
            raise DecodeError(f"{part!r} is not a GTID set: intervals are missing")
        for piece in pieces[1:]:
            if m := _INTERVAL.fullmatch(piece):
                start, end = int(m[1]), int(m[2] or m[1])
                if not 1 <= start <= end < 2**63:
                    raise DecodeError(f"{piece!r} is not an interval of a GTID set")
                self._add(uuid, tag, start, end)
            elif _TAG.fullmatch(piece.lower()):
                tag = piece.lower()
            else:
                raise DecodeError(f"{part!r} is not a GTID set: {piece!r} is neither an interval nor a tag")

    def __str__(self) -> str:
        """The canonical form the server prints, without line ends."""
        if self.mariadb:
            return ",".join(f"{u}-{s[-1][1]}" for (u, _), s in sorted(self._intervals.items(), key=_by_domain))
        # A source's untagged intervals come first, then its tags in order, all behind one UUID.
        out: list[str] = []
        last = ""
        for uuid, tag, spans in self.sources():
            text = (":" + tag if tag else "") + "".join(f":{a}" if a == b else f":{a}-{b}" for a, b in spans)
            if uuid == last:
                out[-1] += text
            else:
                out.append(uuid + text)
            last = uuid
        return ",".join(out)

    def __repr__(self) -> str:
        return f"GtidSet({str(self)!r})"

    # -- content

    def add(self, gtid: str) -> None:
        """Adds one GTID: `uuid:n`, `uuid:tag:n`, or MariaDB's `d-s-n`."""
        if m := _MARIADB.fullmatch(gtid):
            self.mariadb = True
            domain = m[1] + "-"
            # Of each domain only the last position counts, whichever server wrote it.
            for key in [k for k in self._intervals if k[0].startswith(domain)]:
                del self._intervals[key]
            self._intervals[f"{m[1]}-{m[2]}", ""] = [[1, int(m[3])]]
            return
        uuid, _, rest = gtid.partition(":")
        tag, _, number = rest.rpartition(":")
        interval = _INTERVAL.fullmatch(number)
        if interval is None or interval[2] or not 1 <= int(number) < 2**63 or (tag and not _TAG.fullmatch(tag.lower())):
            raise DecodeError(f"{gtid!r} is not a GTID")
        self._add(_uuid(uuid), tag.lower(), int(number), int(number))

    def _add(self, uuid: str, tag: str, start: int, end: int) -> None:
        spans = self._intervals.setdefault((uuid, tag), [])
        if spans and spans[-1][1] + 1 == start:
            spans[-1][1] = end
            return
        i = bisect_right(spans, [start, 2**63])
        if i and spans[i - 1][1] >= start - 1:
            i -= 1
            start = spans[i][0]
        j = i
        while j < len(spans) and spans[j][0] <= end + 1:
            end = max(end, spans[j][1])
            j += 1
        spans[i:j] = [[start, end]]

    def copy(self) -> GtidSet:
        out = GtidSet(mariadb=self.mariadb)
        out._intervals = {k: [s.copy() for s in v] for k, v in self._intervals.items()}
        return out

    def union(self, other: GtidSet) -> GtidSet:
        """All of both."""
        out = self.copy()
        if self.mariadb or other.mariadb:
            out.mariadb = True
            for source, spans in ((u, s) for (u, _), s in other._intervals.items()):
                if not out.contains(other.filtered(source.__eq__)):
                    out.add(f"{source}-{spans[-1][1]}")
            return out
        for (uuid, tag), spans in other._intervals.items():
            for a, b in spans:
                out._add(uuid, tag, a, b)
        return out

    def subtract(self, other: GtidSet) -> GtidSet:
        """What is here and not in `other`."""
        out = GtidSet(mariadb=self.mariadb)
        for key, spans in self._intervals.items():
            left = _subtract(spans, other._intervals.get(key, []))
            if left:
                out._intervals[key] = left
        return out

    def contains(self, other: GtidSet) -> bool:
        """Whether `other` is a subset."""
        if self.mariadb or other.mariadb:
            mine = {k[0].split("-")[0]: v[-1][1] for k, v in self._intervals.items()}
            return all(
                mine.get(k[0].split("-")[0], 0) >= v[-1][1] for k, v in other._intervals.items()
            )
        return not other.subtract(self)

    def filtered(self, accept: Callable[[str], bool]) -> GtidSet:
        """Only the sources (`uuid`, or `domain-server`) that `accept` keeps."""
        out = GtidSet(mariadb=self.mariadb)
        out._intervals = {k: [s.copy() for s in v] for k, v in self._intervals.items() if accept(k[0])}
        return out

    def of_sources(self, other: GtidSet) -> GtidSet:
        """Only sources (with their tags) that `other` knows."""
        out = GtidSet(mariadb=self.mariadb)
        out._intervals = {k: [s.copy() for s in v] for k, v in self._intervals.items() if k in other._intervals}
        return out

    def without_sources(self, other: GtidSet) -> GtidSet:
        """Only sources (with their tags) that `other` does not know."""
        out = GtidSet(mariadb=self.mariadb)
        out._intervals = {k: [s.copy() for s in v] for k, v in self._intervals.items() if k not in other._intervals}
        return out

    def sources(self) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
        """(uuid or domain-server, tag, inclusive intervals) in order."""
        for (uuid, tag), spans in sorted(self._intervals.items()):
            yield uuid, tag, [(a, b) for a, b in spans]

    def __bool__(self) -> bool:
        return bool(self._intervals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GtidSet) and self._intervals == other._intervals

    __hash__ = None  # type: ignore[assignment]

    # -- the dump command's form

    def encode(self) -> bytes:
        """The binary form of COM_BINLOG_DUMP_GTID; the tagged form where the set has tags."""
        sources = list(self.sources())
        tagged = any(tag for _, tag, _ in sources)
        count = len(sources)
        if tagged:
            # Format number in the first and the last byte, the count in the six between.
            out = bytearray(((1 << 56) | count << 8 | 1).to_bytes(8, "little"))
        else:
            out = bytearray(count.to_bytes(8, "little"))
        for uuid, tag, spans in sources:
            out += bytes.fromhex(uuid.replace("-", ""))
            if tagged:
                out += _varlen(len(tag)) + tag.encode()
            out += len(spans).to_bytes(8, "little")
            for a, b in spans:
                out += a.to_bytes(8, "little") + (b + 1).to_bytes(8, "little")
        return bytes(out)


def _varlen(n: int) -> bytes:
    # The server's variable-length integer: for small values one byte, the number shifted by the length marker.
    return bytes((n << 1,))


def _subtract(spans: list[list[int]], minus: list[list[int]]) -> list[list[int]]:
    # Both are sorted and disjoint: one pass over each.
    out: list[list[int]] = []
    i = 0
    for start, end in spans:
        while i < len(minus) and minus[i][1] < start:
            i += 1
        j = i
        while j < len(minus) and minus[j][0] <= end:
            if minus[j][0] > start:
                out.append([start, minus[j][0] - 1])
            start = minus[j][1] + 1
            j += 1
        if start <= end:
            out.append([start, end])
        # The last of them may reach into the next span.
        i = max(i, j - 1)
    return out


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise DecodeError(f"{text!r} is not the UUID of a GTID source")
    digits = text.replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _by_domain(item: tuple[_Source, object]) -> tuple[int, int]:
    domain, _, server = item[0][0].partition("-")
    return int(domain), int(server)
