# A function of another compiled module, called without Python's overhead.
from headwater.wire.mysql.decimal_cy cimport unscaled
