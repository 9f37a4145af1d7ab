"""Binary log event types: the wire's codes, and the kinds a consumer tells apart."""

from __future__ import annotations

# Kinds of events as the parser gives them.
ROWS = 1
TABLE_MAP = 2
XID = 3
GTID = 4
QUERY = 5
ROWS_QUERY = 6
ROTATE = 7
FORMAT = 8
HEARTBEAT = 9
STOP = 10
INCIDENT = 11
XA_PREPARE = 12
PREVIOUS_GTIDS = 13
GTID_LIST = 14
ANONYMOUS_GTID = 15
PARTIAL_UPDATE = 16
OTHER = 17
UNKNOWN = 18
END_OF_STREAM = 19

# Codes on the wire.
C_QUERY = 2
C_STOP = 3
C_ROTATE = 4
C_FORMAT = 15
C_XID = 16
C_TABLE_MAP = 19
C_INCIDENT = 26
C_HEARTBEAT = 27
C_ROWS_QUERY = 29
C_GTID = 33
C_ANONYMOUS_GTID = 34
C_PREVIOUS_GTIDS = 35
C_XA_PREPARE = 38
C_PARTIAL_UPDATE = 39
C_TRANSACTION_PAYLOAD = 40
C_HEARTBEAT_V2 = 41
C_GTID_TAGGED = 42
C_MARIADB_ANNOTATE = 160
C_MARIADB_GTID = 162
C_MARIADB_GTID_LIST = 163
C_MARIADB_QUERY_COMPRESSED = 165

# Rows events: code -> (operation, has the extra-data header of version 2, compressed)
ROWS_CODES = {
    20: ("c", False, False), 21: ("u", False, False), 22: ("d", False, False),
    23: ("c", False, False), 24: ("u", False, False), 25: ("d", False, False),
    30: ("c", True, False), 31: ("u", True, False), 32: ("d", True, False),
    166: ("c", False, True), 167: ("u", False, True), 168: ("d", False, True),
    169: ("c", True, True), 170: ("u", True, True), 171: ("d", True, True),
}  # fmt: skip

# Codes that are known and carry nothing a consumer needs.
KNOWN_OTHER = frozenset((0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18, 28, 36, 37, 161, 164))

IGNORABLE_FLAG = 0x80
ARTIFICIAL_FLAG = 0x20
