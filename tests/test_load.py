from __future__ import annotations

import copy
import json
import os
import random
import socket
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support import REPOSITORY
from toolkiln.diagnostics import Diagnostic
from toolkiln.load import Specs, find_package, load
from toolkiln.source import failed

SCHEMA = REPOSITORY / "schemas" / "spec.schema.json"
SPEC = """\
toolkiln: 1
namespace: billing
version: 1.4.0
description: Invoices.
formats: note
defaults: {timeout: 30s, expires: 24h, tags: [finance], scopes: [x]}
failures:
  not_found: No such invoice.
  down: {description: Gone., retryable: true, details: {type: object}, x-a: 1}
  shared: {$ref: "lib.yaml#/failures/shared"}
interactions:
  pick: {prompt: Which?, response: Id, choices: true, token: string, expires: 1h}
  confirm: {kind: approval, prompt: "{metadata.a}?", metadata: {type: object}}
tools:
  get_invoice:
    title: Get invoice
    description: One invoice.
    effects: {read_only: true, destructive: false, idempotent: true, open_world: false}
    parameters:
      required: [id]
      properties: {id: {$ref: "#/$defs/Id"}, note: {type: string, x-sensitive: true}}
    output: [up, down, 1, null]
    failures: [not_found]
    approval: {when: [{id: a}, {id: {minLength: 3}}], prompt: "Get {id}?", allow_edit: true}
    interactions: [pick]
    deferred: {token: Id, expires: 3d}
    timeout: 2m
    scopes: ["a:b"]
    tags: []
    stability: beta
    deprecated: {note: Old., use: list, sunset: 2027-01-31}
    formerly: [fetch]
    suppress: [{rule: object-open, reason: Fine., until: 2027-01-31}]
    examples:
      one: {args: {id: a}, asks: approval, reply: true, output: up}
      two: {args: {}, rejects: id}
      three: {args: {id: b}, failed: {code: not_found, details: null}}
  list: {description: All., approval: always, deferred: true, deprecated: Old.}
$defs:
  Id: {type: string, x-suppress: [{rule: a, reason: b}]}
"""
LIBRARY = "toolkiln: 1\nfailures: {shared: Shared.}\n"


def project(root: Path, **texts: str | bytes) -> Callable[..., tuple[Specs, list[Diagnostic]]]:
    for name, text in texts.items():
        path = root / f"{name}.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def run(*names: str) -> tuple[Specs, list[Diagnostic]]:
        return load(root, [Path(f"{name}.yaml") for name in names or texts])

    return run


def rules(found: Sequence[Diagnostic]) -> list[str]:
    return [finding.rule for finding in found]


# --- what is right ------------------------------------------------------------------------------


def test_a_spec_that_uses_every_key_has_no_findings(tmp_path: Path) -> None:
    specs, found = project(tmp_path, spec=SPEC, lib=LIBRARY)("spec")

    assert found == []
    assert [spec.namespace for spec in specs.files] == ["billing"]
    assert list(specs.documents) == ["project:/lib.yaml", "project:/spec.yaml"]


def test_the_same_spec_in_json_has_no_findings(tmp_path: Path) -> None:
    specs, _ = project(tmp_path, spec=SPEC, lib=LIBRARY)("spec")
    text = json.dumps(specs.files[0].document.value)
    (tmp_path / "spec.json").write_text(text, encoding="utf-8")

    again, found = load(tmp_path, [tmp_path / "spec.json"])

    assert found == []
    assert again.files[0].document.value == specs.files[0].document.value


def test_hand_written_specs_have_no_findings(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = shared / "reference" / "spec-trials"
    monkeypatch.syspath_prepend(str(trials / "pkg"))
    files = sorted(trials.glob("*.yaml"))

    assert len(files) == 16
    for file in files:
        assert load(trials, [file])[1] == [], file.name
    # The example of the format and the trials describe the same tools twice.
    _, found = load(trials, [file for file in files if file.name[:2].isdecimal()][:11])
    assert found == []


def test_files_that_share_a_namespace_are_one(tmp_path: Path) -> None:
    head = "toolkiln: 1\nnamespace: billing\n"
    run = project(
        tmp_path,
        b=head + "version: 1.0.0\ntools: {b: {description: B.}}\n",
        a=head + "tools: {a: {description: A.}}\n",
    )

    specs, found = run()

    assert found == []
    assert [spec.document.file for spec in specs.files] == ["a.yaml", "b.yaml"]


def test_a_plain_schema_is_a_tool_of_its_namespace(tmp_path: Path) -> None:
    content = {"type": "object", "x-tool": {"name": "Pay.now", "namespace": "acme.pay"}}
    (tmp_path / "pay.schema.json").write_text(json.dumps(content), encoding="utf-8")

    specs, found = load(tmp_path, [Path("pay.schema.json")])

    assert found == []
    assert [(spec.plain, spec.namespace) for spec in specs.files] == [(True, "acme.pay")]


# --- references ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "target"),
    [
        ("#/$defs/Id", ("spec.yaml", ("$defs", "Id"))),
        ("#", ("spec.yaml", ())),
        ("lib.yaml", ("lib.yaml", ())),
        ("./lib.yaml#/failures/shared", ("lib.yaml", ("failures", "shared"))),
        ("lib.yaml#/a~1b/c~0d/e%20f/0", ("lib.yaml", ("a/b", "c~d", "e f", "0"))),
        ("lib.yaml#anchor", None),
        ("other.yaml#/$defs/Id", None),
        ("https://example.com/lib.yaml", None),
        ("../lib.yaml", None),
    ],
)
def test_a_reference_means_a_place_in_a_file(
    ref: str, target: tuple[str, tuple[str, ...]] | None, tmp_path: Path
) -> None:
    specs, _ = project(tmp_path, spec=SPEC, lib=LIBRARY)("spec")

    found = specs.resolve(specs.files[0], ref)

    assert (found and (found[0].document.file, found[1])) == target


def test_references_are_relative_to_the_file_they_stand_in(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b c"
    deep.mkdir(parents=True)
    (deep / "x.yaml").write_text(
        "toolkiln: 1\n$defs: {X: {$ref: '../../y.yaml#/$defs/Y'}}\n", encoding="utf-8"
    )
    run = project(
        tmp_path,
        spec="toolkiln: 1\n$defs: {A: {$ref: a/b%20c/x.yaml}, B: {$ref: a/b c/x.yaml}}\n",
        y="toolkiln: 1\n$defs: {Y: {type: string}}\n",
    )

    specs, found = run("spec")

    assert found == []
    assert list(specs.documents) == [
        "project:/a/b%20c/x.yaml",
        "project:/spec.yaml",
        "project:/y.yaml",
    ]
    place = specs.resolve(specs.documents["project:/a/b%20c/x.yaml"], "../../y.yaml#/$defs/Y")
    assert place is not None
    assert place[0].document.file == "y.yaml"


def test_a_long_chain_of_files_is_followed(tmp_path: Path) -> None:
    for number in range(1500):
        text = f"toolkiln: 1\n$defs: {{A: {{$ref: 'f{number + 1}.yaml#/$defs/A'}}}}\n"
        (tmp_path / f"f{number}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "f1500.yaml").write_text("toolkiln: 1\n$defs: {A: true}\n", encoding="utf-8")

    specs, found = load(tmp_path, [Path("f0.yaml")])

    assert found == []
    assert len(specs.documents) == 1501


def package(root: Path, name: str, **texts: str) -> None:
    for file, text in texts.items():
        path = root / name / file.replace("_py", ".py").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_a_package_is_read_and_never_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(
        tmp_path / "site",
        "acme_types",
        __init___py="import marker_of_an_import\nraise SystemExit",
        common_yaml="toolkiln: 1\n$defs: {Money: {$ref: 'more.yaml#/$defs/Cents'}}\n",
        more_yaml="toolkiln: 1\n$defs: {Cents: {type: integer}}\n",
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    ref = "pkg:acme_types/common.yaml#/$defs/Money"
    before = set(sys.modules)

    specs, found = project(tmp_path, spec=f'toolkiln: 1\n$defs: {{A: {{$ref: "{ref}"}}}}\n')()

    assert found == []
    assert list(specs.documents) == [
        "pkg:acme_types/common.yaml",
        "pkg:acme_types/more.yaml",
        "project:/spec.yaml",
    ]
    assert not {name for name in set(sys.modules) - before if "acme" in name or "marker" in name}
    target = specs.resolve(specs.files[0], ref)
    assert target is not None
    assert target[0].document.span("$defs", "Money").file == "pkg:acme_types/common.yaml"


def test_a_namespace_package_may_have_many_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / "one", "acme_ns", a_yaml="toolkiln: 1\n")
    package(tmp_path / "two", "acme_ns/sub", b_yaml="toolkiln: 1\n")
    for folder in ("one", "two"):
        monkeypatch.syspath_prepend(str(tmp_path / folder))
    refs = "{A: {$ref: 'pkg:acme_ns/a.yaml'}, B: {$ref: 'pkg:acme_ns.sub/b.yaml'}}"
    text = f"toolkiln: 1\n$defs: {refs}\n"

    specs, found = project(tmp_path, spec=text)()

    assert found == []
    assert "pkg:acme_ns/sub/b.yaml" in specs.documents


@pytest.mark.parametrize("name", ["json", "sys", "no_such_package_at_all", "__main__", "", "a.b"])
def test_what_is_no_package_has_no_folders(name: str) -> None:
    assert not [folder for folder in find_package(name) if folder.name != "json"]


def test_a_link_out_of_a_package_is_refused(tmp_path: Path) -> None:
    package(tmp_path / "site", "acme_types", a_yaml="toolkiln: 1\n")
    (tmp_path / "secret.yaml").write_text("toolkiln: 1\n", encoding="utf-8")
    (tmp_path / "site" / "acme_types" / "b.yaml").symlink_to(tmp_path / "secret.yaml")
    (tmp_path / "spec.yaml").write_text(
        "toolkiln: 1\n$defs: {A: {$ref: 'pkg:acme_types/b.yaml'}}\n", encoding="utf-8"
    )

    _, found = load(tmp_path, [Path("spec.yaml")], packages=lambda name: [tmp_path / "site" / name])

    assert rules(found) == ["ref-outside"]


def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    text = (
        "toolkiln: 1\n$defs: {A: {$ref: 'http://localhost:1/x', $schema: 'http://localhost:1/y'}}\n"
    )

    assert rules(project(tmp_path, spec=text)()[1]) == ["ref-network"]


# --- files --------------------------------------------------------------------------------------


def test_links_inside_the_project_lead_to_one_document(tmp_path: Path) -> None:
    run = project(
        tmp_path,
        lib=LIBRARY,
        spec="toolkiln: 1\nfailures: {a: {$ref: 'link.yaml#/failures/shared'}}\n",
    )
    (tmp_path / "link.yaml").symlink_to(tmp_path / "lib.yaml")

    specs, found = run("spec", "lib", "link")

    assert found == []
    assert [spec.document.file for spec in specs.files] == ["lib.yaml", "spec.yaml"]
    target = specs.resolve(specs.files[1], "link.yaml#/failures/shared")
    assert target is not None
    assert target[0] is specs.files[0]


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret.yaml").write_text("toolkiln: 1\n", encoding="utf-8")
    (root / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    text = "toolkiln: 1\nfailures: {a: {$ref: out.yaml}, b: {$ref: out.yaml}}\n"

    specs, found = project(root, spec=text)("spec", "out")

    assert rules(found) == ["file-outside", "ref-outside"]
    assert list(specs.documents) == ["project:/spec.yaml"]


@pytest.mark.parametrize("way", ["listed", "referenced"])
@pytest.mark.parametrize("kind", ["absent", "folder", "pipe", "circle", "long"])
def test_what_cannot_be_read_is_a_finding(kind: str, way: str, tmp_path: Path) -> None:
    name = "x" * 300 if kind == "long" else "x"
    path = tmp_path / f"{name}.yaml"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "circle":
        path.symlink_to(path)
    text = f"toolkiln: 1\nfailures: {{a: {{$ref: {name}.yaml}}}}\n"

    _, found = project(tmp_path, spec=text)(name if way == "listed" else "spec")

    assert rules(found) == ["file-unreadable" if way == "listed" else "ref-unreadable"]
    assert found[0].message.endswith(".")


def test_a_file_that_may_not_be_read_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    run = project(tmp_path, spec=SPEC)
    monkeypatch.setattr(Path, "open", refuse)

    specs, found = run()

    assert specs.files == ()
    assert [f.message for f in found] == ["This file cannot be read: permission denied."]


def test_a_name_that_is_no_text_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.yaml")
    try:
        path.write_text(LIBRARY, encoding="utf-8")
    except OSError:
        pytest.skip("the file system refuses such names")

    _, found = load(tmp_path, [path, Path("nul\0.yaml")])

    assert rules(found) == ["file-unreadable"] * 2
    assert all(str(finding).encode() for finding in found)


def test_a_device_is_not_opened(tmp_path: Path) -> None:
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)

    assert rules(load(Path("/"), [Path(os.devnull)])[1]) == ["file-unreadable"]
    assert load(tmp_path, [])[1] == []


# --- the schema of the format -------------------------------------------------------------------


def test_the_schema_is_one_and_describes_every_key() -> None:
    schema = json.loads(SCHEMA.read_bytes())
    Draft202012Validator.check_schema(schema)

    for name, part in [("", schema), *schema["$defs"].items()]:
        assert part["description"].endswith("."), name
        for key, value in part.get("properties", {}).items():
            described = value.get("description") or value["$ref"]
            assert described.endswith(".") or "/properties/" in described or name == "plain", key


def test_the_keys_beside_a_plain_schema_are_those_of_a_tool() -> None:
    defs = json.loads(SCHEMA.read_bytes())["$defs"]
    tool = set(defs["tool"]["properties"]) - {"parameters"}

    assert set(defs["plainTool"]["properties"]) == tool | {"name", "namespace"}


def test_the_full_example_of_the_format_is_valid(shared: Path) -> None:
    text = (shared / "spec-format.md").read_text(encoding="utf-8")
    example = text.split("```yaml\n")[1].split("```")[0]
    lines = [line for line in example.splitlines() if "pkg:" not in line]

    assert load_text("\n".join(lines)) == []


def load_text(text: str) -> list[Diagnostic]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return project(Path(folder), spec=text, lib=LIBRARY)("spec")[1]


# --- anything -----------------------------------------------------------------------------------


def nodes(value: object) -> list[tuple[object, object]]:
    """Each container with each of its keys."""
    found: list[tuple[object, object]] = []
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict | list):
            items = list(part.items() if isinstance(part, dict) else enumerate(part))
            found += [(part, key) for key, _ in items]
            pending += [item for _, item in items]
    return found


ODD = [
    None,
    True,
    0,
    -1.5,
    10**30,
    "",
    "x",
    "$ref",
    "#/",
    "pkg:a/b",
    "\x00",
    [],
    [None],
    {},
    {"": 1},
]
ODD += [{"$ref": None}, {"$ref": "x.yaml#/%ZZ~2"}, {"x-sensitve": 1}, {"$id": "//["}, "a" * 5000]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 4), as_json=st.booleans())
def test_no_change_of_a_valid_spec_breaks_the_loader(
    seed: int, count: int, as_json: bool, tmp_path: Path
) -> None:
    choose = random.Random(seed)  # noqa: S311
    specs, _ = project(tmp_path, spec=SPEC, lib=LIBRARY)("spec")
    value = copy.deepcopy(specs.files[0].document.value)
    for _ in range(count):
        container, key = choose.choice(nodes(value) or [({}, "")])
        change(container, key, choose)
    # Every JSON text without escaped surrogates is YAML as well.
    text = json.dumps(value, ensure_ascii=not as_json, indent=choose.choice([None, 1]))
    file = tmp_path / ("mutant.json" if as_json else "mutant.yaml")
    file.write_text(text, encoding="utf-8")

    mutant, found = load(tmp_path, [file])

    lines = text.split("\n")
    for finding in found:
        span = finding.span
        assert span is not None
        assert span.file == file.name
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert finding.message.endswith((".", "?", '"')) or "Say the unit" in finding.message
    places = [(finding.rule, finding.span) for finding in found]
    assert len(places) == len(set(places)) or len(mutant.files) == 0


def change(container: object, key: object, choose: random.Random) -> None:
    odd = copy.deepcopy(choose.choice(ODD))
    if isinstance(container, dict):
        kept = container.pop(key)
        kind = choose.randrange(4)
        if kind == 1:
            container[key] = odd
        elif kind == 2:
            container[f"{key}{choose.choice(['x', '', 's'])}"] = kept
            container[choose.choice(["run", "code", "x-y", "$ref", "properties", "a.b"])] = odd
        elif kind == 3:
            container[key] = [kept, odd]
    elif isinstance(container, list):
        assert isinstance(key, int)
        container[key : key + 1] = choose.choice([[], [odd], [container[key]] * 2])


def test_all_mistakes_of_all_files_are_told_at_once_and_in_order(tmp_path: Path) -> None:
    run = project(
        tmp_path,
        b="toolkiln: 1\nversion: 1.0\nformat: note\n",
        a="toolkiln: 1\na: 1\na: 2\nb: !x 3\n",
        c="toolkiln: [\n",
    )

    _, found = run("c", "b", "a")

    assert failed(found)
    assert [(f.span.file[0], f.span.line, f.rule) for f in found if f.span] == [
        ("a", 2, "key-unknown"),
        ("a", 3, "key-duplicate"),
        ("a", 4, "key-unknown"),
        ("a", 4, "value-tag"),
        ("b", 2, "value-type"),
        ("b", 3, "key-unknown"),
        ("c", 1, "yaml-syntax"),
    ]
