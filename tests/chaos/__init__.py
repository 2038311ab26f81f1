"""Real kills: a house on a real broker and a real database is struck while phones play.

    make chaos MINUTES=3                        # a few minutes, a fault every few seconds
    make chaos MINUTES=10 ARGS="--seed 7"       # the same seed, the same schedule
    make chaos MINUTES=10 ARGS="--json FILE"    # and everything for programs

Two rules workers, two gateways and one of each other worker run as processes of their own, as
`sahrat run --log kafka` starts them, on a broker from its jars and a PostgreSQL from its wheel.
Each line from a worker to the broker leads through a proxy. Phones play at free tables and for
coins; some leave, some lose their line, some sleep, and all ask again when no answer comes.

What is struck, and when, is written out before it begins, and comes from the seed alone: `kill -9`
and SIGTERM of each worker, processes that freeze and wake up again, lines that are cut, cut one
way, reset or slow, acknowledgements that get lost, a broker and a database that are stopped,
killed, frozen or locked, a disk that is full, members that come and go, two faults at once, and
everything at once. One worker's clock is wrong all the time, by a quarter of a minute or an hour,
where libfaketime is installed. What phones do beside it, and which record a fault meets, no seed
decides: a run is like another one, and never the same.

From ten minutes on the database is away for five of them (C49), and after all else the broker is
stopped five times for a minute (C46), which takes some seven minutes more.

In the end everybody goes home, and what is left in topics and tables is looked through by programs
that took no part in it: `tests.chaos.verifier`, which shares no code with the house, `sahrat
audit`, and a comparison of the read models with new ones. How to read what they say:

- **struck**: how often; **lasted**: for how many seconds in all, a part's own start included.
- **still**: the longest time between two records at any phone that had to do with such a fault. Of
  faults that only the read models can feel: while nothing else was struck, so it is how little play
  noticed.
- **s until it played on**: from the end of the fault until the next record came, by phone (0.2 to
  0.5 s pass between records anyway); of faults that only the read models can feel, until these had
  all that was stored; of C46, until every worker was well. `inf`: not within a minute, which is a
  loss.
- **LOST**: what was promised and is not so, a line each. The house's folder is kept then, with its
  log, topics and tables, and what the phones saw.

What it can't show: one broker on one disk says nothing of replication, nor of a power cut; one
clock for all processes, nothing of clocks that differ; and a few dozen faults find what happens
often. What happens once in ten thousand times is the simulation's to find, which meets no real
broker.
"""
