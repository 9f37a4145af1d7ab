"""The sample database and the workload that changes it."""

from __future__ import annotations

import random
import threading
from typing import Any

SCHEMA = """
CREATE SCHEMA inventory;
SET search_path TO inventory;
CREATE TYPE order_state AS ENUM ('new', 'paid', 'shipped', 'cancelled');
CREATE TABLE customers (
  id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, email varchar(120) UNIQUE NOT NULL,
  reference uuid NOT NULL DEFAULT gen_random_uuid(), preferences jsonb, joined timestamptz NOT NULL DEFAULT now());
CREATE TABLE products (
  id serial PRIMARY KEY, name text NOT NULL, price numeric(10,2) NOT NULL, weight double precision, tags text[] NOT NULL DEFAULT '{}');
CREATE TABLE orders (
  id bigserial PRIMARY KEY, customer int NOT NULL REFERENCES customers, product int NOT NULL REFERENCES products,
  quantity smallint NOT NULL, state order_state NOT NULL DEFAULT 'new', placed timestamp(3) NOT NULL DEFAULT now(), note text);
ALTER TABLE customers REPLICA IDENTITY FULL;
ALTER TABLE products REPLICA IDENTITY FULL;
ALTER TABLE orders REPLICA IDENTITY FULL;
"""
_FIRST = ("Sally", "George", "Edward", "Anne", "Grace", "Linus", "Émile", "Yuki", "Ada", "Zoë")
_LAST = ("Thomas", "Bailey", "Walker", "Kretchmar", "Hopper", "Müller", "Nakamura", "Lovelace")
_PRODUCTS = ("scooter", "car battery", "drill bits", "hammer", "rocks", "jacket", "spare tire", "lamp", "kettle", "bell")


def fill(connection: Any, customers: int = 400, orders: int = 4000) -> None:
    """Makes the tables and their first rows."""
    rng = random.Random(7)
    connection.execute(SCHEMA)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO customers (first_name, last_name, email, preferences) VALUES (%s, %s, %s, %s)",
            [(rng.choice(_FIRST), rng.choice(_LAST), f"user{i}@example.com", f'{{"newsletter": {str(i % 3 == 0).lower()}}}')
             for i in range(customers)],
        )  # fmt: skip
        cursor.executemany(
            "INSERT INTO products (name, price, weight, tags) VALUES (%s, %s, %s, %s)",
            [(n, rng.randint(100, 99999) / 100, rng.random() * 10, ["new"] if i % 2 else []) for i, n in enumerate(_PRODUCTS)],
        )  # fmt: skip
        cursor.executemany(
            "INSERT INTO orders (customer, product, quantity) VALUES (%s, %s, %s)",
            [(rng.randint(1, customers), rng.randint(1, len(_PRODUCTS)), rng.randint(1, 9)) for _ in range(orders)],
        )


class Workload(threading.Thread):
    """Changes the sample a few times a second until it is stopped."""

    def __init__(self, connect: Any, interval: float = 0.4) -> None:
        super().__init__(name="headwater-demo-workload", daemon=True)
        self._connect = connect
        self._interval = interval
        self._stopped = threading.Event()
        self.statements = 0

    def run(self) -> None:
        rng = random.Random()
        with self._connect() as connection:
            connection.execute("SET search_path TO inventory")
            while not self._stopped.wait(self._interval):
                sql, values = self._statement(rng)
                connection.execute(sql, values)
                self.statements += 1

    @staticmethod
    def _statement(rng: random.Random) -> tuple[str, tuple[Any, ...]]:
        kind = rng.randint(1, 10)
        if kind <= 4:
            return ("INSERT INTO orders (customer, product, quantity, note) VALUES (%s, %s, %s, %s)",
                    (rng.randint(1, 400), rng.randint(1, 10), rng.randint(1, 9), rng.choice((None, "gift", "urgent"))))  # fmt: skip
        if kind <= 7:
            return ("UPDATE orders SET state = %s WHERE id = %s", (rng.choice(("paid", "shipped", "cancelled")), rng.randint(1, 4000)))
        if kind == 8:
            return ("UPDATE products SET price = round(price * %s::numeric, 2) WHERE id = %s", (rng.choice((0.9, 1.1)), rng.randint(1, 10)))
        if kind == 9:
            return ("DELETE FROM orders WHERE id = %s", (rng.randint(1, 4000),))
        return ("UPDATE customers SET preferences = preferences || '{\"newsletter\": true}' WHERE id = %s", (rng.randint(1, 400),))

    def stop(self) -> None:
        """Ends it soon."""
        self._stopped.set()
        self.join(10)
