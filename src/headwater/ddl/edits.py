"""The clauses of an ALTER TABLE that touch columns or keys, and how they are carried out.

The server looks names up in the table as it was, first drops and changes, then places what is new or moved,
then makes keys. The reference carries the clauses out one after the other (`exact` mode), so that
`CHANGE a b, CHANGE b a` loses a column there. Knows no SQL text.
https://dev.mysql.com/doc/refman/en/alter-table.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from headwater.ddl.columns import Draft
from headwater.ddl.create import KeyElement, declare
from headwater.ddl.datatypes import CHARACTER, as_binary
from headwater.ddl.defaults import Default
from headwater.ddl.keys import KeyEdits
from headwater.ddl.model import Session
from headwater.errors import DdlError
from headwater.model import Column, TableId

FIRST = ""  # a place; otherwise the name of the column in front, or None for none asked


@dataclass(slots=True)
class AddColumn:
    """ADD COLUMN."""

    draft: Draft
    place: str | None = None
    if_missing: bool = False


@dataclass(slots=True)
class ChangeColumn:
    """CHANGE; MODIFY is a change that keeps the name."""

    old: str
    draft: Draft
    place: str | None = None
    if_exists: bool = False
    verb: str = "change"


@dataclass(slots=True)
class DropColumn:
    """DROP COLUMN."""

    name: str
    if_exists: bool = False


@dataclass(slots=True)
class RenameColumn:
    """RENAME COLUMN."""

    old: str
    new: str
    if_exists: bool = False


@dataclass(slots=True)
class SetDefault:
    """ALTER COLUMN SET DEFAULT, or DROP DEFAULT (None)."""

    name: str
    default: Default | None
    if_exists: bool = False


@dataclass(slots=True)
class Convert:
    """CONVERT TO CHARACTER SET."""

    charset: str


@dataclass(slots=True)
class DropKey:
    """DROP PRIMARY KEY, or of an index by name."""

    name: str


@dataclass(slots=True)
class RenameKey:
    """RENAME INDEX."""

    old: str
    new: str


Edit = AddColumn | ChangeColumn | DropColumn | RenameColumn | SetDefault | Convert | DropKey | RenameKey | KeyElement


@dataclass(slots=True, eq=False)
class Entry:
    """A column while the statement is carried out, and its name before it (None: added)."""

    column: Column | Draft
    before: str | None
    placed: bool = True

    @property
    def name(self) -> str:
        return self.column.name


@dataclass(slots=True)
class Workspace:
    """The columns and keys being edited."""

    table: TableId
    session: Session
    keys: KeyEdits
    entries: list[Entry] = field(default_factory=list)

    def find(self, name: str, verb: str, *, before: bool) -> Entry:
        """The column of a name, in the table as it was (`before`) or as it is by now. Raises DdlError."""
        wanted = name.lower()
        for e in self.entries:
            if (e.before if before else e.name.lower()) == wanted:
                return e
        raise DdlError(f"Trying to {verb} column {name}, which {self.table} does not have")

    def has(self, name: str, *, before: bool) -> bool:
        wanted = name.lower()
        return any((e.before if before else e.name.lower()) == wanted for e in self.entries)

    def place(self, entry: Entry, place: str | None) -> None:
        """Puts an entry where its clause says; one without a place goes to the end. Raises DdlError."""
        if entry in self.entries:
            self.entries.remove(entry)
        entry.placed = True
        if place is None:
            self.entries.append(entry)
        elif place == FIRST:
            self.entries.insert(0, entry)
        else:
            wanted = place.lower()
            at = next((i for i, e in enumerate(self.entries) if e.placed and e.name.lower() == wanted), None)
            if at is None:
                raise DdlError(f"a column is put after {place}, which {self.table} does not have")
            self.entries.insert(at + 1, entry)

    def replace(self, entry: Entry, draft: Draft) -> None:
        self.keys.rename_column(entry.name, draft.name)
        entry.column = draft

    def rename(self, entry: Entry, new: str) -> None:
        self.keys.rename_column(entry.name, new)
        if isinstance(entry.column, Draft):
            entry.column.name = new
        else:
            entry.column = entry.column.with_(name=new)

    def drop(self, entry: Entry) -> None:
        self.entries.remove(entry)
        self.keys.drop_column(entry.name)

    def set_default(self, entry: Entry, default: Default | None) -> None:
        column = entry.column
        if isinstance(column, Draft):
            column.default = default
            return
        text = None
        if default is not None:
            text = default.expression(column.type_name, column.charset, exact=self.session.exact)
        has = text is not None or (default is not None and column.optional)
        entry.column = column.with_(has_default=has, default_expression=text)

    def convert(self, charset: str) -> None:
        """Converts the character columns that are not defined anew by the statement."""
        for e in self.entries:
            c = e.column
            if isinstance(c, Column) and c.jdbc_type in CHARACTER and c.charset and c.charset.lower() != "binary":
                converted = c.with_(charset=charset)
                e.column = converted if self.session.exact else as_binary(converted)


def in_text_order(work: Workspace, edits: Sequence[Edit]) -> None:
    """Carries the clauses out one after the other, as the reference does."""
    for edit in edits:
        _edit_key(work, edit)
        _edit_column(work, edit, before=False)
        if isinstance(edit, AddColumn | ChangeColumn):
            _place(work, edit, before=False)


def as_the_server(work: Workspace, edits: Sequence[Edit]) -> None:
    """Carries the clauses out in the server's order."""
    for edit in edits:
        if not isinstance(edit, KeyElement):
            _edit_key(work, edit)
    for edit in edits:
        _edit_column(work, edit, before=True)
    for edit in edits:
        if isinstance(edit, AddColumn | ChangeColumn):
            _place(work, edit, before=True)
    for edit in edits:
        if isinstance(edit, KeyElement):
            _edit_key(work, edit)


def _edit_column(work: Workspace, edit: Edit, *, before: bool) -> None:
    """The part of a clause that concerns columns the table has."""
    if isinstance(edit, Convert):
        work.convert(edit.charset)
        return
    if not isinstance(edit, ChangeColumn | DropColumn | RenameColumn | SetDefault):
        return
    name = edit.old if isinstance(edit, ChangeColumn | RenameColumn) else edit.name
    if edit.if_exists and not work.has(name, before=before):
        return
    if isinstance(edit, ChangeColumn):
        entry = work.find(name, edit.verb, before=before)
        work.replace(entry, edit.draft)
        entry.placed = edit.place is None
    elif isinstance(edit, DropColumn):
        work.drop(work.find(name, "drop", before=before))
    elif isinstance(edit, RenameColumn):
        work.rename(work.find(name, "rename", before=before), edit.new)
    else:
        work.set_default(work.find(name, "alter", before=before), edit.default)


def _place(work: Workspace, edit: AddColumn | ChangeColumn, *, before: bool) -> None:
    if isinstance(edit, AddColumn):
        if edit.if_missing and work.has(edit.draft.name, before=False):
            if not work.session.exact:
                return
            # The reference takes it for a change of the column that is there.
            change = ChangeColumn(edit.draft.name, edit.draft, edit.place)
            _edit_column(work, change, before=before)
            _place(work, change, before=before)
            return
        work.place(Entry(edit.draft, None), edit.place)
    else:
        entry = next((e for e in work.entries if e.column is edit.draft), None)
        if entry is None:
            return
        if edit.place is not None:
            work.place(entry, edit.place)
    declare(edit.draft, work.keys)


def _edit_key(work: Workspace, edit: Edit) -> None:
    if isinstance(edit, DropKey):
        work.keys.drop_index(edit.name)
    elif isinstance(edit, RenameKey):
        work.keys.rename_index(edit.old, edit.new)
    elif isinstance(edit, KeyElement):
        edit.add_to(work.keys)
