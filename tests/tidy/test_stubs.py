"""The stubs in typings/ say of the libraries what the libraries say of themselves."""

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Final

import pytest

from tests.tidy import tree

TYPINGS: Final = tree.ROOT / "typings"
STUBS: Final = tuple(path for path in tree.files(".pyi") if path.is_relative_to(TYPINGS))


def _module(stub: str) -> ModuleType:
    name = stub.removesuffix(".pyi").removesuffix("/__init__")
    return importlib.import_module(name.replace("/", "."))


def _parameters(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield each parameter's name and default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    bare = len(positional) - len(arguments.defaults)
    for number, argument in enumerate(positional):
        yield argument.arg, arguments.defaults[number - bare] if number >= bare else None
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield argument.arg, default


def _wrong_signature(
    function: ast.FunctionDef | ast.AsyncFunctionDef, real: Callable[..., object]
) -> Iterator[str]:
    if isinstance(function, ast.AsyncFunctionDef) != inspect.iscoroutinefunction(real):
        yield f"{function.name}: async or not"
    signature = inspect.signature(real)
    for name, default in _parameters(function):
        parameter = signature.parameters.get(name)
        if parameter is None:
            yield f"{function.name}: no parameter {name}"
        elif (default is None) != (parameter.default is parameter.empty):
            yield f"{function.name}: {name} has a default in one of the two"
        elif isinstance(default, ast.Constant) and default.value not in (..., parameter.default):
            yield f"{function.name}: {name} is {parameter.default!r}"


def _wrong(body: list[ast.stmt], real: object, where: str) -> Iterator[str]:
    """Yield what a module or a class of the stubs says and the real one does not hold."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        found = getattr(real, node.name, None)
        if isinstance(node, ast.ClassDef):
            if found is not None:
                yield from _wrong(node.body, found, f"{where} {node.name}")
            elif not node.name.startswith("_"):  # those are the stubs' own, for what has no name
                yield f"{where}: no {node.name}"
        elif callable(found):
            yield from (f"{where} {what}" for what in _wrong_signature(node, found))
        elif not isinstance(found, property):
            yield f"{where}: no {node.name}"


@pytest.mark.parametrize("stub", [path.relative_to(TYPINGS).as_posix() for path in STUBS])
def test_a_stub_is_true(stub: str) -> None:
    parsed = ast.parse((TYPINGS / stub).read_text(encoding="utf-8"))
    assert not list(_wrong(parsed.body, _module(stub), stub))
