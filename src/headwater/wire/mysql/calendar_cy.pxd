# What other compiled modules call directly.
cdef bint valid_day(long long year, long long month, long long day)
cdef long long days(long long year, long long month, long long day)
cdef object micros(long long year, long long month, long long day, long long hour, long long minute, long long second,
                   long long fraction)
