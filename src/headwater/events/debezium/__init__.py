"""The Debezium event format."""
