"""The floor of the read models: COPY alone, in a process of its own.

`python -m tests.bench.floor_postgres JOB`, with `{"dsn":.., "records":N}`: into a table like that
of the records, 500 rows a transaction.
"""

from __future__ import annotations

import time
from typing import Final

import psycopg

from tests.bench.floors import RECORD_BYTES
from tests.bench.processes import job, say
from tests.bench.stories import MATCH_RECORDS

BATCH: Final = 500
TABLE: Final = """
create table floor (
    match_id text not null, seq bigint not null, topic_partition smallint not null,
    topic_offset bigint not null, value bytea not null, primary key (match_id, seq)
)
"""
COPY: Final = "copy floor from stdin (format binary)"
TYPES: Final = ("text", "int8", "int2", "int8", "bytea")


def main(dsn: str, records: int) -> None:
    """Copy so many rows, say how long it took, and leave nothing."""
    value = b"x" * RECORD_BYTES
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(TABLE)
        begin_s = time.monotonic()
        for begin in range(0, records, BATCH):
            with connection.transaction(), connection.cursor().copy(COPY) as copy:
                copy.set_types(TYPES)
                for number in range(begin, min(begin + BATCH, records)):
                    match, seq = divmod(number, MATCH_RECORDS)
                    copy.write_row((f"{match:036}", seq, 0, number, value))
        say(seconds=time.monotonic() - begin_s)
        connection.execute("drop table floor")


if __name__ == "__main__":
    main(**job())
