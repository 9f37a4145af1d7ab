"""Changes, transaction boundaries, DDL and heartbeats -> records."""
