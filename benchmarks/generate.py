"""What generating a thousand tools costs beside one call of datamodel-code-generator.

Both sides get the same lowered shapes; figures are ratios of CPU time, ruff's included. Below: what
it costs to import and to register what was generated, beside an empty interpreter and pydantic.
"""

from __future__ import annotations

import compileall
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from datamodel_code_generator import generate
from datamodel_code_generator.format import Formatter

from toolkiln.contract import Contract
from toolkiln.load import load
from toolkiln.lower import lower
from toolkiln.targets.python import Python, models, printer

FILES = 100
TOOLS = 10
ROUNDS = 3
IMPORTS = 11
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def spec(file: int) -> dict[str, Any]:
    """Ten tools of nine properties, one of them an object that they share."""
    kinds: dict[str, Any] = {
        "first": {"type": "string", "maxLength": 40},
        "second": {"type": "integer", "minimum": 0},
        "third": {"enum": ["fast", "safe"], "default": "safe"},
        "fourth": {"$ref": "#/$defs/Place"},
        "fifth": {"type": "array", "items": {"type": "string"}},
        "sixth": {"type": ["number", "null"]},
        "seventh": {"type": "object", "properties": {"x": {"type": "number"}}},
        "eighth": {"type": "boolean"},
        "ninth": {"type": "string", "pattern": "^[a-z]+$"},
    }
    properties = {
        f"{word}Value": {**kind, "description": f"The {word} value of the request."}
        for word, kind in kinds.items()
    }
    place = {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
    tool = {
        "description": "Do something that takes a sentence or two to explain. Then do it again.",
        "effects": {"read_only": True},
        "parameters": {"required": ["firstValue"], "properties": properties},
        "output": {"type": "object", "properties": {"id": {"type": "string"}}},
        "failures": {"not_found": "There is no such thing."},
    }
    tools = {f"tool_{number}_of_{file}": tool for number in range(TOOLS)}
    return {"toolkiln": 1, "namespace": f"area{file}", "tools": tools, "$defs": {"Place": place}}


def cpu() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def cost(work: Callable[[], object]) -> float:
    """CPU seconds of *work*."""
    before = cpu()
    work()
    return cpu() - before


def documents(contract: Contract) -> Iterator[tuple[Any, Any]]:
    """What the printer is asked to print for *contract*: documents and aliases."""
    asked: list[tuple[Any, Any]] = []
    original = models.printed

    def listening(document: Any, aliases: Any, *, dicts: bool) -> str:
        asked.append((document, aliases))
        return original(document, aliases, dicts=dicts)

    models.printed = listening
    try:
        Python().files(contract, {"package": "made"})
    finally:
        models.printed = original
    return iter(asked)


def batch(contract: Contract) -> Callable[[], object]:
    """One call for all documents: names are made different by their document's number."""
    definitions: dict[str, Any] = {}
    aliases: dict[str, str] = {}
    for number, (document, given) in enumerate(documents(contract)):
        for name, body in document["$defs"].items():
            text = json.dumps(body).replace('"#/$defs/', f'"#/$defs/N{number}')
            definitions[f"N{number}{name}"] = json.loads(text)
        aliases |= {f"N{number}{key}": value for key, value in given.items()}
    text = json.dumps({"$schema": DRAFT, "$defs": definitions})
    options = {
        **printer.options(dicts=False),
        "formatters": [Formatter.BUILTIN],
        "builtin_format_line_length": 100,
        "use_double_quotes": True,
    }
    return lambda: generate(text, aliases=aliases, **options)


def generating(root: Path) -> Contract:
    """Print the ratios of generating."""
    paths = [root / f"{number}.json" for number in range(FILES)]
    for number, path in enumerate(paths):
        path.write_text(json.dumps(spec(number)))
    contract, _ = lower(load(root, paths)[0])
    reference = batch(contract)
    reference()
    whole, target, alone = [], [], []
    for _ in range(ROUNDS):
        read = cost(lambda: lower(load(root, paths)[0]))
        target.append(cost(lambda: Python().files(contract, {"package": "made"})))
        whole.append(read + target[-1])
        alone.append(cost(reference))
    base = statistics.median(alone)
    print(f"{len(contract.tools):,} tools in {FILES} files; one call of the printer alone = 1.00")
    print(f"  from contract to files     {statistics.median(target) / base:.2f}")
    print(f"  from spec files to files   {statistics.median(whole) / base:.2f}   (budget 1.3)")
    return contract


def importing(root: Path, contract: Contract) -> None:
    """Print the ratios of importing and registering."""
    for file in Python().files(contract, {"package": "made"}):
        path = root / "made" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    compileall.compile_dir(root, quiet=2)
    areas = [f"area{number}" for number in range(FILES)]
    everything = f"from made import {', '.join(areas)}"
    register = (
        "def bind(register):\n"
        "    names = register.__annotations__.keys() - {'capability', 'return'}\n"
        "    return register(**dict.fromkeys(names, print))\n"
    ) + "\n".join(f"bind({area}.{area}_tools)" for area in areas)
    programs = {
        "pass": "pass",
        "root": "import made",
        "import": everything,
        "pydantic": "from pydantic import BaseModel",
        "register": f"{everything}\n{register}",
    }
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(IMPORTS):
        for name, program in programs.items():
            seconds[name].append(cost(partial(run, program, root)))
    median = {name: statistics.median(times) for name, times in seconds.items()}
    print(f"  import of the package      {median['root'] / median['pass']:.2f}   (budget 1.5)")
    print(f"  import of its {FILES} parts    {median['import'] / median['pass']:.2f}")
    ratio = median["register"] / median["pydantic"]
    print(f"  register, by pydantic      {ratio:.2f}   (budget 1.5)")


def run(program: str, root: Path) -> None:
    """Run *program* where the generated package can be imported."""
    subprocess.run([sys.executable, "-c", program], cwd=root, check=True)


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        importing(root, generating(root))


if __name__ == "__main__":
    main()
