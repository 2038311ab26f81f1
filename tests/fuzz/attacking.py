"""`python -m tests.fuzz.attacking URL SEED MATCH`: attacks a house in every way at once. Says so
when it has, attacks again for each line that it reads, and at the end of its input says what
happened, as JSON.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from random import Random

import aiohttp
import click
import orjson

from tests.fuzz.attacks import ATTACKS, Enemy, comings


async def _round(enemy: Enemy) -> None:
    """Attack in every way at once; then come and go, which is measured."""
    await asyncio.gather(*(_attack(enemy, attack) for attack in ATTACKS))
    await _attack(enemy, comings)


async def _attack(enemy: Enemy, attack: Callable[[Enemy], Awaitable[None]]) -> None:
    try:
        await attack(enemy)
    except (OSError, aiohttp.ClientError, TimeoutError) as fault:  # the house defends itself
        enemy.counts[f"{attack.__name__} ended by {type(fault).__name__}"] += 1


def main(url: str, seed: str, watched: str) -> None:
    """Attack until nobody asks for more."""
    enemy = Enemy(url, Random(seed), watched)
    with asyncio.Runner() as runner:
        runner.run(_round(enemy))
        click.echo("warm")
        for _ in sys.stdin:
            runner.run(_round(enemy))
            click.echo("again")
    click.echo(orjson.dumps(enemy.counts).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
