"""Transaction metadata: BEGIN and END records, and the counters in each event and offset."""

from __future__ import annotations

from typing import Any

from headwater.events.debezium import schemas
from headwater.events.debezium.java_order import java_order
from headwater.model import Record, TableId

_ORDER = "transaction_data_collection_order_"


class TransactionContext:
    """The open transaction's id and counters; its part of the offset survives a restart."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.total = 0
        self.counts: dict[str, int] = {}

    def begin(self, tx_id: str) -> None:
        self.id, self.total, self.counts = tx_id, 0, {}

    def end(self) -> None:
        self.id, self.total, self.counts = None, 0, {}

    def load(self, offset: dict[str, Any]) -> None:
        """Takes the counters over from a stored offset."""
        self.end()
        if (tx_id := offset.get("transaction_id")) is None:
            return
        self.id = str(tx_id)
        self.counts = {k[len(_ORDER) :]: int(v) for k, v in offset.items() if k.startswith(_ORDER)}
        self.total = sum(self.counts.values())

    def offset(self) -> dict[str, Any]:
        """The fields to add to an offset."""
        if self.id is None:
            return {}
        return {"transaction_id": self.id, **{_ORDER + k: v for k, v in self.counts.items()}}


class TransactionMonitor:
    """Makes transaction records and blocks when `provide.transaction.metadata` is on."""

    def __init__(self, topic: str, *, enabled: bool, exact: bool) -> None:
        self.enabled = enabled
        self.context = TransactionContext()
        self._topic = topic
        self._exact = exact

    def begin(self, tx_id: str, ts_ms: int) -> Record | None:
        """Starts a transaction. None where records are off, or the transaction goes on after a restart."""
        if not self.enabled or self.context.id == tx_id:
            return None
        self.context.begin(tx_id)
        return self._record("BEGIN", tx_id, None, None, ts_ms)

    def block(self, table: TableId) -> list[Any] | None:
        """Counts one event of `table`; the envelope's transaction block."""
        context = self.context
        if not self.enabled or context.id is None:
            return None
        name = str(table)
        context.total += 1
        context.counts[name] = context.counts.get(name, 0) + 1
        return [context.id, context.total, context.counts[name]]

    def end(self, ts_ms: int) -> Record | None:
        """The END record. Call `context.end()` once the record has its offset."""
        context = self.context
        if not self.enabled or context.id is None:
            return None
        names = java_order(context.counts) if self._exact else list(context.counts)
        collections = [[n, context.counts[n]] for n in names]
        return self._record("END", context.id, context.total, collections, ts_ms)

    def _record(self, status: str, tx_id: str, count: int | None, collections: Any, ts_ms: int) -> Record:
        value = [status, tx_id, count, collections, ts_ms]
        return Record(self._topic, schemas.TRANSACTION_KEY, [tx_id], schemas.TRANSACTION_VALUE, value)
