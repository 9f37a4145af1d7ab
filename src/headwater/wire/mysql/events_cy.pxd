# Events and functions of another compiled module, used without Python's overhead.
from headwater.wire.mysql.logevent_cy cimport (
    Event, GtidEvent, HeartbeatEvent, QueryEvent, RowsEvent, commit_times, gtid_event, heartbeat_event, plain_event,
    query_event, rotate_event, row_images, rows_event, table_map_event, text_event, u24, u32, u48, u63, xid_event,
)
