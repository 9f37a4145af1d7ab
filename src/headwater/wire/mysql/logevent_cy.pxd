# The fields of the events, and what the parser calls directly.

cimport cython


@cython.no_gc
cdef class Event:
    cdef public int kind
    cdef public int type_code
    cdef public long long timestamp
    cdef public long long server_id
    cdef public long long start_pos
    cdef public long long end_pos
    cdef public int flags
    cdef public bint in_payload


@cython.final
@cython.no_gc
cdef class RotateEvent(Event):
    cdef public object file
    cdef public long long position


@cython.final
@cython.no_gc
cdef class HeartbeatEvent(Event):
    cdef public object file
    cdef public long long position


@cython.final
@cython.no_gc
cdef class XidEvent(Event):
    cdef public long long xid


@cython.final
@cython.no_gc
cdef class GtidEvent(Event):
    cdef public object text
    cdef public long long original_commit_timestamp
    cdef public long long immediate_commit_timestamp
    cdef public long long transaction_length
    cdef public long long last_committed
    cdef public long long sequence_number
    cdef public int gtid_flags


@cython.final
@cython.no_gc
cdef class QueryEvent(Event):
    cdef public long long thread_id
    cdef public int error_code
    cdef public object database
    cdef public object sql
    cdef public object sql_mode
    cdef public object charset


@cython.final
@cython.no_gc
cdef class TextEvent(Event):
    cdef bytes _data
    cdef Py_ssize_t _start
    cdef Py_ssize_t _stop


@cython.final
@cython.no_gc
cdef class TableMapEvent(Event):
    cdef public object table_map


@cython.final
@cython.no_gc
cdef class RowsEvent(Event):
    cdef public object op
    cdef public object target
    cdef public object table_map
    cdef public object befores
    cdef public object afters
    cdef public bint captured


cdef Py_ssize_t u24(bytes data, Py_ssize_t at) except? -1
cdef long long u32(bytes data, Py_ssize_t at) except? -1
cdef long long u48(bytes data, Py_ssize_t at) except? -1
cdef long long _u56(bytes data, Py_ssize_t at) except? -1
cdef long long u63(bytes data, Py_ssize_t at) except? -1
cdef Event plain_event(int kind)
cdef RotateEvent rotate_event(str file, long long position)
cdef HeartbeatEvent heartbeat_event(str file, long long position)
cdef XidEvent xid_event(bytes data, Py_ssize_t pos, Py_ssize_t end)
cdef TextEvent text_event(bytes data, Py_ssize_t pos, Py_ssize_t end)
cdef QueryEvent query_event(bytes data, Py_ssize_t pos, Py_ssize_t end)
cdef object commit_times(GtidEvent event, bytes data, Py_ssize_t pos, Py_ssize_t end)
cdef GtidEvent gtid_event(str text, int flags)
cdef TableMapEvent table_map_event(object table_map)
cdef RowsEvent rows_event(int kind, object op, object table_map, object target)
cdef object row_images(RowsEvent event, object decoder, bytes data, Py_ssize_t pos, Py_ssize_t end)
