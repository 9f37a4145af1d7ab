# What other compiled modules call directly.
cdef object unscaled(bytes data, Py_ssize_t pos, int whole, int scale)
