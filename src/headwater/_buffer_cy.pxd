# The C face of _buffer_cy.py: attributes and signatures, so that other compiled modules call without Python.
cimport cython


@cython.final
cdef class Buffer:
    cdef unsigned char* _data
    cdef Py_ssize_t _capacity
    cdef readonly Py_ssize_t length

    cdef int _room(self, Py_ssize_t extra) except -1
    cdef int _copy(self, const unsigned char* source, Py_ssize_t size) except -1
    cdef int _byte(self, unsigned int value) except -1
    cdef int _unit(self, unsigned int unit) except -1
    cdef Py_ssize_t _special(self, const unsigned char* source, Py_ssize_t i) except -1
    cdef int _quoted(self, const unsigned char* source, Py_ssize_t size) except -1
    cdef int _unsigned(self, unsigned long long value, int width) except -1
    cdef int _base64(self, const unsigned char* source, Py_ssize_t size) except -1
    cdef int _letters(self, unsigned int bits, int count) except -1
    cdef int _word(self, str text) except -1
    cdef bint _few_decimals(self, double value, double size) except -1
    cdef bint _float_decimals(self, double value, double size) except -1
    cdef int _fixed(self, bint negative, long long scaled, long long scale, int places) except -1
    cdef bint _shortest(self, double value, bint narrow) except -1
    cdef int _laid_out(self, double value, int form, int places) except -1
    cdef int _digits(self, const unsigned char* text, Py_ssize_t size) except -1
    cdef int _java_layout(self, const unsigned char* digits, int count, int point) except -1

    cpdef int put(self, bytes data) except -1
    cpdef int put_two(self, bytes first, bytes second) except -1
    cpdef int put_int(self, bytes before, long long value) except -1
    cpdef int put_string(self, bytes before, str text) except -1
    cpdef int put_base64(self, bytes before, bytes data) except -1
    cpdef int put_unscaled(self, bytes before, object value) except -1
    cpdef int put_double(self, bytes before, double value) except -1
    cpdef int put_float(self, bytes before, double value) except -1
    cpdef bytes since(self, Py_ssize_t start)
    cpdef int cut(self, Py_ssize_t length) except -1
    cpdef bytes take(self, bytes prefix, bytes suffix)
