"""The type stubs name what there is, with the same arguments."""

import ast
import inspect
from pathlib import Path

import pytest

import stiction
from stiction import _answers, _on_device

STUBS = ast.parse((Path(stiction.__file__).parent / "__init__.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUBS.body if isinstance(node, ast.FunctionDef)}
CLASSES = {
    node.name: node
    for node in STUBS.body
    # A protocol is a type of the caller's.
    if isinstance(node, ast.ClassDef) and not any(getattr(base, "id", None) == "Protocol" for base in node.bases)
}
#: Classes that others are made of.
PRIVATE = {"_Answers": _answers.Answers, "_OnDevice": _on_device._OnDevice}


def arguments(node):
    given = node.args
    return [argument.arg for argument in [*given.args, *given.kwonlyargs, *([given.kwarg] if given.kwarg else [])]]


def test_everything_has_a_stub_and_a_docstring():
    public = set(stiction.__all__) - {"__version__"}
    assert public == {name for name in {**FUNCTIONS, **CLASSES} if not name.startswith("_")}
    assert all(getattr(stiction, name).__doc__ for name in public)
    assert (Path(stiction.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_arguments_of_their_stubs(name):
    # All that are overloaded, too.
    for node in (node for node in STUBS.body if getattr(node, "name", None) == name):
        assert arguments(node) == list(inspect.signature(getattr(stiction, name)).parameters)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_the_members_of_their_stubs(name):
    found = getattr(stiction, name, None) or PRIVATE[name]
    in_code = {member for member in vars(found) if not member.startswith("_")}
    in_code |= {member for member in getattr(found, "__dataclass_fields__", {})}
    members = {node.name: node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    fields = {node.target.id for node in CLASSES[name].body if isinstance(node, ast.AnnAssign)}
    own = {member for member in members if not member.startswith("__")}
    in_objects = {"scalars", "words", "errors", "impulses", "velocities", "residual", "sweeps", "newton_steps"}
    assert own <= in_code and in_code <= own | fields and fields <= in_code | in_objects
    for member in own:
        if callable(vars(found)[member]):
            assert arguments(members[member]) == list(inspect.signature(vars(found)[member]).parameters), member
