"""Hostile input, by the million: `make fuzz SECONDS=120`, or `python -m tests.fuzz`.

Half of the time goes to everything that reads bytes which somebody else has written, each a target
in a process of its own: the gateway's parser and all that a phone's message passes before the log,
the codec of every topic, bookmarks and snapshots, the workers that judge and fold what the topics
hold, `sahrat verify`'s reader of files, the bodies of requests, tokens. A target says what became
of an input in a word. Whatever else it raises is a finding, and so is an input that takes over
fifty times as long as the median.

Inputs come from three places: Hypothesis makes messages by their schemas, mostly a little wrong;
samples from `schemas/` and `cases` are changed at random, where those that bring about something
new are changed further; and where atheris is installed, which tells by the code that was reached
what is new, it takes the place of the second.

The other half goes to a whole house in a process of its own (`sahrat run`): floods, slow readers,
bombs, broken frames, half requests, thousands that come and go, while a match is played on beside.

A finding is kept in `.fuzz/`, with the command that brings it about again; once mended it joins
`cases`, which every later run and the tests begin with.
"""
