"""Whatever stands in a text of a contract, the generated modules have the same statements."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja2 import TemplateError, TemplateRuntimeError
from jinja2.exceptions import SecurityError

from tests.generating import files, importable, module, texts, write
from tests.handmade import BILLING, STRING, args, definition, field, one_tool, record, schema, tool
from tests.test_text import HOSTILE
from toolkiln.contract import Approval, Contract, Deferral, Deprecation, Failure, Interaction
from toolkiln.contract import Test as Condition
from toolkiln.render import render
from toolkiln.shape import Choice, Field, Ref
from toolkiln.target import TargetError

slots = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30) | (
    st.sampled_from([text for text in HOSTILE if text != "\ud800"])
)


def contract(text: str) -> Contract:
    """A contract in which *text* stands wherever an author may write."""
    details = definition("billing#/$defs/Details", ("Details",), record(field("x", doc=text)), text)
    shape = args(
        "t",
        Field(text, Choice((text, "b", 1)), False, text, text),
        Field(f"{text}2", STRING, True, description=text),
        Field("list", Ref(details.key), required=False, default={"x": text}),
    )
    asked = Interaction("q", "response", (text, (text,)), schema(STRING, {"title": text}), True)
    made = tool(
        "t",
        title=text,
        description=text,
        parameters=schema(Ref(shape.key), {"properties": {text: {"pattern": text}}}),
        output=schema(Choice((text, "c")), {"const": text}),
        failures=(Failure("f", text, details=schema(Ref(details.key), {"description": text})),),
        approval=Approval(((Condition((text,), {"const": text}),),), (text, (text,))),
        interactions=(asked,),
        deferred=Deferral(extensions={f"x-{text}": [text]}),
        scopes=(text,),
        tags=(text,),
        deprecated=Deprecation(text, use=text, sunset=text),
        extensions={"x-a": {text: text}},
    )
    (namespace,) = one_tool(replace(made), shape, details).namespaces
    return Contract((replace(namespace, description=text, version=text, sources=(text,)),))


def statements(contract: Contract) -> dict[str, list[str]]:
    """The kinds of all statements of each module."""
    return {
        path: [
            type(node).__name__
            for node in ast.walk(ast.parse(text))
            # A text that is blank has no docstring.
            if isinstance(node, ast.stmt) and not isinstance(node, (ast.Expr, ast.Pass))
        ]
        for path, text in texts(contract, handlers="handlers").items()
        if path.endswith(".py")
    }


PLAIN = statements(contract("plain"))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(slots)
def test_no_text_adds_or_takes_a_statement(text: str) -> None:
    assert statements(contract(text)) == PLAIN


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(slots)
def test_no_text_adds_a_comment(text: str) -> None:
    made = texts(contract(text))["billing/models.py"]
    comments = [line for line in made.splitlines() if line.startswith("#")]
    assert len(comments) == 1


@pytest.mark.parametrize("text", [text for text in HOSTILE if text != "\ud800"])
def test_every_text_reads_back_as_it_was(text: str, tmp_path: Path) -> None:
    write(contract(text), tmp_path)
    with importable(tmp_path):
        made = module("made.billing")
        stated = module("made.billing.contracts").T
        assert stated.description == stated.title == text
        assert stated.failures["f"].description == text
        assert stated.approval.prompt == (text, (text,))
        assert stated.extensions == {"x-a": {text: text}}
        assert text.split() == (made.Details.__doc__ or "").split()
        value = made.TArgs.model_validate({text: text, f"{text}2": ""})
        assert value.model_dump(exclude_unset=True) == {text: text, f"{text}2": ""}
        assert made.t.f().message == text


def test_the_digest_of_a_tool_is_stated() -> None:
    assert 'digest="0000' in texts(BILLING)["billing/contracts.py"]


# --- templates ------------------------------------------------------------------------------------


def own_template(root: Path, name: str, text: str) -> str:
    path = root / "templates" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(root / "templates")


def test_a_template_of_the_project_takes_the_place_of_ours(tmp_path: Path) -> None:
    folder = own_template(
        tmp_path, "python/package.py.jinja", "# Ours.\n{{ doc | docstring(0) }}\n"
    )
    made = texts(BILLING, templates=folder)
    assert made["billing/__init__.py"] == '# Ours.\n"""Invoices, refunds and payouts."""\n'
    assert made["billing/models.py"] == texts(BILLING)["billing/models.py"]


@pytest.mark.parametrize("raw", ["{{ doc }}", '{{ doc ~ "" }}', "{{ doc | upper }}", '{{ "x" }}'])
def test_text_that_went_through_no_filter_is_refused(raw: str, tmp_path: Path) -> None:
    folder = own_template(tmp_path, "python/package.py.jinja", raw)
    with pytest.raises(TemplateRuntimeError, match="is no code"):
        render("python/package.py.jinja", {"doc": "x"}, folder)


def test_a_misspelt_value_is_an_error(tmp_path: Path) -> None:
    folder = own_template(tmp_path, "python/package.py.jinja", "{{ dok | docstring }}")
    with pytest.raises(TemplateError, match="dok"):
        files(BILLING, templates=folder)


@pytest.mark.parametrize(
    "attack",
    [
        "{{ doc.__class__.__mro__ | literal }}",
        "{{ exports.append(1) }}",
        "{{ self._TemplateReference__context | literal }}",
    ],
)
def test_a_template_of_the_project_runs_in_a_sandbox(attack: str, tmp_path: Path) -> None:
    folder = own_template(tmp_path, "python/package.py.jinja", attack)
    with pytest.raises((SecurityError, TemplateError)):
        render("python/package.py.jinja", {"doc": "x", "exports": []}, folder)


def test_a_template_that_makes_no_python_is_named_as_the_fault(tmp_path: Path) -> None:
    folder = own_template(tmp_path, "python/package.py.jinja", "def (")
    with pytest.raises(TargetError, match="does not parse"):
        files(BILLING, templates=folder)
