"""Numbers on the command line, refused in our own words."""

from __future__ import annotations

import math
from typing import Any

import click
from typing_extensions import override


class Whole(click.IntRange):
    """A whole number between two others."""

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value} is no whole number {_bounds(self)}", param, ctx)


class Decimal(click.FloatRange):
    """A number between two others."""

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value} is no number {_bounds(self)}", param, ctx)
        if math.isnan(number):  # not a number: no bound holds it
            self.fail(f"{value} is no number {_bounds(self)}", param, ctx)
        return number


def _bounds(kind: click.IntRange | click.FloatRange) -> str:
    if kind.max is None:
        return f"from {kind.min:g} on"
    return f"from {kind.min} to {kind.max}"
