"""The demonstration: an embedded PostgreSQL, a small sample, and its changes as they happen."""
