"""Binary log event types: the wire's codes, and the kinds a consumer tells apart.

https://dev.mysql.com/doc/dev/mysql-server/latest/namespacemysql_1_1binlog_1_1event.html and
https://mariadb.com/kb/en/replication-protocol/ list the codes.
"""

from __future__ import annotations

from typing import Final

# Kinds of events as the parser gives them.
ROWS: Final = 1
TABLE_MAP: Final = 2
XID: Final = 3
GTID: Final = 4
QUERY: Final = 5
ROWS_QUERY: Final = 6
ROTATE: Final = 7
FORMAT: Final = 8
HEARTBEAT: Final = 9
STOP: Final = 10
INCIDENT: Final = 11
XA_PREPARE: Final = 12
PREVIOUS_GTIDS: Final = 13
GTID_LIST: Final = 14
ANONYMOUS_GTID: Final = 15
PARTIAL_UPDATE: Final = 16
OTHER: Final = 17
UNKNOWN: Final = 18
END_OF_STREAM: Final = 19

# Codes on the wire.
C_QUERY: Final = 2
C_STOP: Final = 3
C_ROTATE: Final = 4
C_FORMAT: Final = 15
C_XID: Final = 16
C_TABLE_MAP: Final = 19
C_INCIDENT: Final = 26
C_HEARTBEAT: Final = 27
C_ROWS_QUERY: Final = 29
C_GTID: Final = 33
C_ANONYMOUS_GTID: Final = 34
C_PREVIOUS_GTIDS: Final = 35
C_XA_PREPARE: Final = 38
C_PARTIAL_UPDATE: Final = 39
C_TRANSACTION_PAYLOAD: Final = 40
C_HEARTBEAT_V2: Final = 41
C_GTID_TAGGED: Final = 42
C_MARIADB_ANNOTATE: Final = 160
C_MARIADB_GTID: Final = 162
C_MARIADB_GTID_LIST: Final = 163
C_MARIADB_QUERY_COMPRESSED: Final = 165

# Rows events: code -> (operation, has the extra data of version 2, compressed)
ROWS_CODES: Final = {
    20: ("c", False, False), 21: ("u", False, False), 22: ("d", False, False),
    23: ("c", False, False), 24: ("u", False, False), 25: ("d", False, False),
    30: ("c", True, False), 31: ("u", True, False), 32: ("d", True, False),
    166: ("c", False, True), 167: ("u", False, True), 168: ("d", False, True),
    169: ("c", True, True), 170: ("u", True, True), 171: ("d", True, True),
}  # fmt: skip

# Events of which the code is all a consumer needs.
PLAIN_KINDS: Final = {
    C_STOP: STOP, C_INCIDENT: INCIDENT, C_XA_PREPARE: XA_PREPARE, C_PREVIOUS_GTIDS: PREVIOUS_GTIDS,
    C_MARIADB_GTID_LIST: GTID_LIST, C_TRANSACTION_PAYLOAD: OTHER,
    # Known, and of no use here: statement-based logging's own events, group replication's, the ignorable event,
    # MariaDB's checkpoint and encryption notices.
    **dict.fromkeys((0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18, 28, 36, 37, 161, 164), OTHER),
}  # fmt: skip

# Header flags: the event may be ignored by who does not know it; it was made for this stream and is in no file.
IGNORABLE_FLAG: Final = 0x80
ARTIFICIAL_FLAG: Final = 0x20
