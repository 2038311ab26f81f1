"""Pure code stays pure where no import shows it (imports: the contracts in pyproject.toml)."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Final, cast

import pytest

from tests.tidy import tree

PURE: Final = re.compile(
    r"shared/sahrat/(?:dice|verify)\.py"
    r"|shared/sahrat/(?:games|ledger|match|messages)/.*\.py"
    r"|services/\w+/core(?:/.*)?\.py"
)
# A command that writes files; the contracts see to it that nothing else reaches out.
COMMANDS: Final = ("shared/sahrat/games/schemas.py",)
# The physics has its own proof of equal bytes; what a bot thinks is an input, never replayed.
FLOATS_ALLOWED: Final = re.compile(r".*/(?:physics\w*(?:/.*)?|bot\w*)\.py")

IMPURE_NAMES: Final = ("__import__", "breakpoint", "eval", "exec", "input", "open", "print")
# `hash` of a text differs from process to process, `id` from run to run.
UNSTABLE_NAMES: Final = ("hash", "id")
IMPURE_ATTRIBUTES: Final = ("now", "today", "utcnow", "uuid1", "uuid4", "uuid7", "urandom")


def _pure() -> tuple[str, ...]:
    return tuple(
        name for name, _ in tree.texts(".py") if PURE.fullmatch(name) and name not in COMMANDS
    )


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes, but for what is in `__hash__`: only dictionaries and sets ever ask it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.FunctionDef) and child.name == "__hash__"):
            yield from _walk(child)


def _impure_calls(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        match node.func:
            case ast.Name(id=name) if name in IMPURE_NAMES + UNSTABLE_NAMES:
                yield f"calls {name}"
            case ast.Attribute(attr=name) if name in IMPURE_ATTRIBUTES:
                yield f"calls .{name}"
            case _:
                pass


def _mutable_globals(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Global):
        yield f"changes the module's {', '.join(node.names)}"


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub(), right=right):
            return _is_set(left) or _is_set(right)
        case _:
            return False


def _walks_a_set(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.For(iter=walked) | ast.comprehension(iter=walked) if _is_set(walked):
            yield "walks a set, whose order is nobody's"
        case ast.Call(func=ast.Name(id="tuple" | "list" | "iter" | "next"), args=[walked, *_]):
            if _is_set(walked):
                yield "puts a set in an order that is nobody's"
        case _:
            pass


def _floats(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=float(value)):
            yield f"has the float {value}"
        case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            yield "divides with /"
        case ast.Name(id="float"):
            yield "names float"
        case _:
            pass


@pytest.mark.parametrize(
    ("check", "exempt"),
    [
        pytest.param(_impure_calls, None, id="no-clock-chance-or-output"),
        pytest.param(_mutable_globals, None, id="no-changing-globals"),
        pytest.param(_walks_a_set, None, id="no-order-of-sets"),
        pytest.param(_floats, FLOATS_ALLOWED, id="no-floats"),
    ],
)
def test_pure_code(
    check: Callable[[ast.AST], Iterator[str]], exempt: re.Pattern[str] | None
) -> None:
    found = [
        f"{name}:{getattr(node, 'lineno', '?')} {what}"
        for name in _pure()
        if exempt is None or not exempt.fullmatch(name)
        for node in _walk(tree.parsed(name))
        for what in check(node)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("check", "source"),
    [
        (_impure_calls, "x = open('y')"),
        (_impure_calls, "x = datetime.now(UTC)"),
        (_mutable_globals, "def f():\n    global x\n    x = 1"),
        (_walks_a_set, "x = [y for y in {1, 2} - z]"),
        (_walks_a_set, "x = tuple(set(y))"),
        (_floats, "x = y / 2"),
    ],
)
def test_the_checks_see(check: Callable[[ast.AST], Iterator[str]], source: str) -> None:
    assert [what for node in ast.walk(ast.parse(source)) for what in check(node)]


def _contract(kind: str, word: str) -> dict[str, list[str]]:
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (found,) = [c for c in contracts if c["type"] == kind and word in c["name"]]
    return cast("dict[str, list[str]]", found)


def _parts() -> set[str]:
    """Return the packages and modules that `sahrat` has today."""
    root = tree.ROOT / "shared/sahrat"
    inner = [path.relative_to(root).parts[0] for path in tree.files(".py") if root in path.parents]
    return {f"sahrat.{name.removesuffix('.py')}" for name in inner} - {"sahrat.__init__"}


def test_every_part_has_its_layer() -> None:
    """A contract may not name a part that is not there yet, so a new one could be forgotten."""
    layers = _contract("layers", "messages")["layers"]
    placed = {name for layer in layers for name in re.findall(r"[\w.]+", layer)}
    assert _parts() <= placed


def test_every_pure_part_is_under_contract() -> None:
    pure = {name for name in _parts() if PURE.fullmatch(f"shared/{name.replace('.', '/')}.py")}
    pure |= {name for name in _parts() if PURE.fullmatch(f"shared/{name.replace('.', '/')}/x.py")}
    assert pure <= set(_contract("forbidden", "clock")["source_modules"])
