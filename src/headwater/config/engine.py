"""Options of the engine and its stores: offsets, schema history, converters."""

from __future__ import annotations

from headwater.config.options import Option, OptionSet

FILE_OFFSETS = "org.apache.kafka.connect.storage.FileOffsetBackingStore"

ENGINE = OptionSet([
    Option("offset.storage", "class", FILE_OFFSETS, "Where offsets are kept.", group="Engine"),
    Option("offset.storage.file.filename", group="Engine", doc="File of the offsets."),
    Option("offset.storage.topic", group="Engine", built=False, doc="Kafka topic of the offsets."),
    Option("offset.storage.partitions", "int", group="Engine", built=False, doc="Partitions of that topic."),
    Option("offset.storage.replication.factor", "int", group="Engine", built=False, doc="Replicas of that topic."),
    Option("offset.flush.interval.ms", "long", 60000, "Time between commits.", group="Engine", minimum=0),
    Option("offset.flush.timeout.ms", "long", 5000, "Longest time of a commit.", group="Engine", minimum=0, built=False),
    Option("offset.commit.policy", "class", "io.debezium.engine.spi.OffsetCommitPolicy$PeriodicCommitOffsetPolicy",
           "When offsets are stored.", group="Engine", built=False),
    Option("errors.retry.delay.initial.ms", "int", 300, "First pause of a retry.", group="Engine", built=False),
    Option("errors.retry.delay.max.ms", "int", 10000, "Longest pause of a retry.", group="Engine", built=False),
    Option("record.processing.threads", group="Engine", built=False, doc="Threads of the reference's record pool."),
    Option("record.processing.order", default="ORDERED", group="Engine", built=False, doc="Order of that pool."),
    Option("record.processing.with.serial.consumer", "bool", False, group="Engine", built=False, doc="As the reference."),
    Option("record.processing.shutdown.timeout.ms", "long", 1000, group="Engine", built=False, doc="As the reference."),
    Option("transforms", "list", group="Engine", built=False, doc="Names of transforms."),
    Option("predicates", "list", group="Engine", built=False, doc="Names of predicates."),
    Option("key.converter", "class", group="Engine", doc="Converter of keys."),
    Option("value.converter", "class", group="Engine", doc="Converter of values."),
    Option("header.converter", "class", group="Engine", doc="Converter of headers."),
    Option("bootstrap.servers", group="Engine", doc="Kafka brokers."),
    Option("exactly.once.support", "enum", "requested", allowed=("requested", "required"), group="Engine", built=False,
           doc="Exactly-once delivery."),
    Option("transaction.boundary", "enum", "poll", allowed=("poll", "interval", "connector"), group="Engine",
           built=False, doc="Boundaries of exactly-once transactions."),
])  # fmt: skip


HISTORY = OptionSet([
    Option("schema.history.internal", "class", "io.debezium.storage.kafka.history.KafkaSchemaHistory",
           "Where the schema history is kept.", group="History"),
    Option("schema.history.internal.file.filename", group="History", doc="File of the schema history."),
    Option("schema.history.internal.name", group="History", doc="Name of the schema history."),
    Option("schema.history.internal.skip.unparseable.ddl", "bool", False, group="History",
           doc="Passes over statements that are not understood."),
    Option("schema.history.internal.store.only.captured.tables.ddl", "bool", False, group="History",
           doc="Keeps only statements of captured tables."),
    Option("schema.history.internal.store.only.captured.databases.ddl", "bool", False, group="History",
           doc="Keeps only statements of captured databases."),
    Option("schema.history.internal.prefer.ddl", "bool", False, group="History",
           doc="Recovers from statements instead of stored table models."),
    Option("schema.history.internal.memory.optimization", default="off", group="History",
           doc="Accepted; equal parts of table models are always shared."),
    Option("internal.schema.history.internal.ddl.filter", "regex_list", group="History", built=False,
           doc="Statements left out before parsing."),
])  # fmt: skip
