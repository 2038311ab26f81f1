"""What the timer decides. Pure: it knows only the times, records and answers that it is told.

Two times: the log's (`log_ms`), in which deadlines stand and rules judges; and one that only ever
runs (`mono_ms`), for what is about this process: pauses, and whom it heard when.
"""
