# Functions of other compiled modules, called without Python's overhead.
from headwater.wire.mysql.calendar_cy cimport days, micros, valid_day
from headwater.wire.mysql.decimal_cy cimport unscaled
