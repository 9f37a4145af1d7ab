"""Questions to PostgreSQL's catalogs: tables, columns, keys -> `model.Table`."""

from __future__ import annotations

from headwater.drivers.postgres import Connection
from headwater.model import Column, Table, TableId

_TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_temp%' AND n.nspname NOT LIKE 'pg\\_toast%'
ORDER BY 1, 2
"""
# A domain is followed down to its base type; its length and scale count where the column has none, and its
# defaults are left out, as the reference does.
_COLUMNS = """
WITH RECURSIVE base(root, oid, typname, typtype, typbasetype, typmod, required) AS (
  SELECT t.oid, t.oid, t.typname, t.typtype, t.typbasetype, t.typtypmod, t.typnotnull FROM pg_type t
  UNION ALL
  SELECT b.root, t.oid, t.typname, t.typtype, t.typbasetype, CASE WHEN b.typmod >= 0 THEN b.typmod ELSE t.typtypmod END,
    b.required OR t.typnotnull
  FROM base b JOIN pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd'
)
SELECT a.attname, b.typname, a.atttypmod, b.typmod, a.attnotnull OR b.required,
       CASE WHEN b.root = b.oid THEN pg_get_expr(d.adbin, d.adrelid) END, a.attidentity,
       a.attgenerated, a.atttypid, col_description(a.attrelid, a.attnum),
       (SELECT array_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e
        WHERE e.enumtypid = CASE WHEN b.typname LIKE '\\_%%' THEN (SELECT x.typelem FROM pg_type x WHERE x.oid = b.oid) ELSE b.oid END)
FROM pg_attribute a JOIN base b ON b.root = a.atttypid AND b.typtype <> 'd'
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_KEYS = """
SELECT i.indisprimary, array_agg(a.attname ORDER BY k.ord)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, ord)
LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indrelid = to_regclass(%s) AND i.indisunique AND 0 <> ALL (i.indkey::int2[]) AND k.ord <= i.indnkeyatts
GROUP BY i.indexrelid, i.indisprimary, c.relname ORDER BY i.indisprimary DESC, c.relname
"""
_HEADER = 4  # of a type modifier


def list_tables(connection: Connection) -> list[TableId]:
    """Every ordinary and partitioned table the user can see, in order of their names."""
    return [TableId(None, str(s), str(t)) for s, t in connection.query(_TABLES)]


def read_table(connection: Connection, table_id: TableId, *, comments: bool = False) -> Table:
    """The model of a table as it is now; without columns where it is gone."""
    name = table_id.quoted()
    columns = []
    for row in connection.query(_COLUMNS, [name]):
        columns.append(_column(row, comments))
    keys = [list(k) for _, k in connection.query(_KEYS, [name])]
    primary = tuple(str(n) for n in keys[0]) if keys else ()
    return Table(table_id, (), primary).with_(columns=columns)


def replica_identity(connection: Connection, table_id: TableId) -> str:
    """`DEFAULT`, `FULL`, `NOTHING` or `USING INDEX <name>`."""
    rows = connection.query(
        "SELECT CASE c.relreplident WHEN 'd' THEN 'DEFAULT' WHEN 'f' THEN 'FULL' WHEN 'n' THEN 'NOTHING' ELSE 'USING INDEX ' "
        "|| (SELECT i.indexrelid::regclass::text FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident) END "
        "FROM pg_class c WHERE c.oid = to_regclass(%s)",
        [table_id.quoted()],
    )
    return str(rows[0][0]) if rows else ""


def _column(row: tuple[object, ...], comments: bool) -> Column:
    name, kind, modifier, base_modifier, not_null, default, identity, generated, oid, comment, labels = row
    typmod = int(str(modifier)) if int(str(modifier)) >= 0 else int(str(base_modifier))
    length, scale = modifiers(str(kind), typmod)
    has_default = default is not None and not identity and not generated
    return Column(
        name=str(name), jdbc_type=1111, type_name=str(kind), type_expression=str(kind), native_type=int(str(oid)),
        length=length, scale=scale, optional=not not_null, auto_incremented=bool(identity),
        generated=bool(generated), comment=str(comment) if comments and comment else None, has_default=has_default,
        default_expression=str(default) if has_default else None,
        enum_values=tuple(str(x) for x in labels) if isinstance(labels, list) else (),
    )  # fmt: skip


def modifiers(kind: str, typmod: int) -> tuple[int | None, int | None]:
    """(length, scale) of a type modifier; None where there is none."""
    kind = kind.removeprefix("_")
    if typmod < 0:
        return (1, None) if kind == "bit" else (None, None)
    if kind == "numeric":
        value = typmod - _HEADER
        return value >> 16 & 0xFFFF, value & 0x7FF
    if kind in ("varchar", "bpchar"):
        return typmod - _HEADER, None
    if kind in ("time", "timetz", "timestamp", "timestamptz"):
        return None, typmod
    if kind in ("bit", "varbit"):
        return typmod, None
    return None, None
