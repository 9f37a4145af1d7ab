"""Keeps freed memory in the process.

Each batch allocates and frees some 10 to 20 MB of short-lived strings. The C library gives such memory
back and faults it in again, which costs more than making the strings.
"""

from __future__ import annotations

import ctypes
import logging

log = logging.getLogger(__name__)

_M_TRIM_THRESHOLD = -1
_M_TOP_PAD = -2
_M_MMAP_THRESHOLD = -3
_BYTES = 64 * 1024 * 1024


def keep_freed_memory() -> None:
    """Raises glibc's trim and mmap thresholds; does nothing with another C library."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        log.debug("this C library has no mallopt")
        return
    mallopt(_M_TRIM_THRESHOLD, _BYTES)
    mallopt(_M_TOP_PAD, _BYTES // 4)
    mallopt(_M_MMAP_THRESHOLD, _BYTES // 2)
