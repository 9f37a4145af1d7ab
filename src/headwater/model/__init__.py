"""The values every layer speaks: tables, Connect schemas, structs, records.

Nothing here knows a database protocol, a file or a socket.
"""

from headwater.model.record import Header, Record
from headwater.model.schema import Field, Schema, SchemaBuilder
from headwater.model.struct import Struct
from headwater.model.table import Column, Table, TableId, Tables

__all__ = ["Column", "Field", "Header", "Record", "Schema", "SchemaBuilder", "Struct", "Table", "TableId", "Tables"]
