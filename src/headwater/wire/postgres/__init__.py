"""PostgreSQL bytes <-> values; no socket, no clock."""
