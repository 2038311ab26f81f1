"""The bench: what the house carries and how quick it is, on the machine at hand.

    make bench                                  # everything, an hour
    make bench ARGS="--only saturated --log kafka --seconds 5"
    make bench ARGS="--only saturated --games mixed --tables 1000 --log kafka"
    make bench ARGS="--runs 5 --against bench.json"   # after a change, on the same machine
    make bench ARGS=--list

How to read it:

- **An action** is one accepted intent of a phone, counted when its record has arrived on the other
  phone of the table: by then the log has stored it, the intent and the record.
- **Floor**: the same work with the same log and nothing of ours in it, measured in the same run, a
  moment before or after. On Kafka: a bare idempotent aiokafka loop that sends each record back; in
  the embedded house: SQLite commits of as many records; for the read models: PostgreSQL's COPY of
  the records alone. **Ratio** is the figure by its floor: of rates at most 1, of times at least 1.
  Ratios may be compared between runs and machines; absolute figures only on one calm machine, whose
  load when the run began stands with the results.
- **Saturated**: two phones a table, each acts the moment it is its turn. Latencies there say how
  long the queue is, not how quick the house is.
- **Mixed**: Ludo, Pachisi and Carrom, each at a third of the tables. Shots are aimed by the
  driver, whose CPU stands apart.
- **Open**: the same pace at the same tables, while others wait at so many coin tables for somebody
  to sit down. **Spectators** look on at one of the tables.
- **Paced**: actions at a fixed rate, spread evenly over all tables, whether earlier ones have
  arrived or not. From the moment an action is due until the other phone has its record.
- **Prize**: from when the act that ends a match left its phone until that phone was told of the
  prize in its balance, at coin tables whose phones think a little before each act.
- **CPU** is user and system time of processes, by role: the workers, the broker, PostgreSQL, and
  apart from these the driver, which plays all phones. `server` is the sum without the driver.
- The gateway's limit of messages for each phone is lifted, since no person plays so fast; the
  options in the results say what it was.
- The embedded house and every figure's log lie in temporary folders in `--folder`, or where the
  system has such: on a disk in memory an fsync costs nothing, and the figures say little. What an
  fsync takes there stands with the machine.

`tests.bench.log` and `tests.bench.projection` measure one part more closely, and are run by hand.
"""
