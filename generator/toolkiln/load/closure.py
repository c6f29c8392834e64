"""Files, and the files that they refer to, until there are no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path

from ..diagnostics import Diagnostic, Level, Rule, Span
from ..source import parse
from ..value import Json
from . import namespaces, refusals, uris
from .files import UnreadableError, locate, present, read
from .packages import PackageFinder
from .references import Reference, references
from .schemas import entries, trees
from .specs import Spec, Specs
from .structure import examine
from .uris import Refusal, RefusedError

FILE_UNREADABLE = Rule("file-unreadable", Level.ERROR, "A spec file cannot be read.")
FILE_OUTSIDE = Rule("file-outside", Level.ERROR, "A spec file lies outside the project.")


class Closure:
    """Collects files; each is read once, by whatever name it is reached."""

    def __init__(self, root: Path, packages: PackageFinder) -> None:
        self.found: list[Diagnostic] = []
        self._root = root.resolve()
        self._packages = packages
        self._listed: dict[str, Spec] = {}
        self._documents: dict[str, Spec | None] = {}
        self._links: dict[str, str] = {}
        self._pending: deque[tuple[Spec, Reference]] = deque()

    def collect(self, files: Iterable[Path]) -> Specs:
        """*files*, and all that they refer to."""
        for file in files:
            try:
                self._list(file)
            except RefusedError:
                span = Span(_shown(file.as_posix()), 1, 1)
                message = "This file lies outside the project, symbolic links resolved."
                self.found.append(FILE_OUTSIDE.at(span, message))
            except UnreadableError as error:
                span = Span(_shown(file.as_posix()), 1, 1)
                message = f"This file cannot be read: {error}."
                self.found.append(FILE_UNREADABLE.at(span, message))
        # A list of its own, not recursion: chains of files may be long.
        told: set[tuple[str, str]] = set()
        while self._pending:
            spec, reference = self._pending.popleft()
            finding = self._follow(spec, reference)
            if finding is not None and (spec.uri, reference.file) not in told:
                told.add((spec.uri, reference.file))
                self.found.append(finding)
        listed = tuple(self._listed[path] for path in sorted(self._listed))
        self.found += namespaces.check(listed)
        documents = {uri: spec for uri, spec in sorted(self._documents.items()) if spec}
        return Specs(listed, documents, self._links)

    def _list(self, file: Path) -> None:
        path = locate(self._root / file)
        shown = self._inside(path)
        spec = self._load(uris.project(shown), path, shown)
        if spec is not None:
            self._listed[shown] = spec

    def _inside(self, path: Path) -> str:
        if not path.is_relative_to(self._root):
            raise RefusedError(Refusal.OUTSIDE)
        shown = path.relative_to(self._root).as_posix()
        if _shown(shown) != shown:
            raise UnreadableError("its name is not UTF-8")
        return shown

    def _load(self, uri: str, path: Path, shown: str) -> Spec | None:
        if uri in self._documents:
            return self._documents[uri]
        data = read(path)
        # Known from here on, so that a broken file is read and blamed once only.
        self._documents[uri] = None
        document, parsed = parse(data, shown)
        if document is None:
            self.found += parsed
            return None
        plain = shown.endswith(".schema.json")
        spec = Spec(uri, document, _namespace(document.value, plain=plain), plain)
        schemas = trees(document.value, plain=plain)
        self.found += examine(spec, schemas, parsed)
        alone = entries(document.value, plain=plain)
        self._pending.extend((spec, ref) for ref in references(alone, schemas))
        self._documents[uri] = spec
        return spec

    def _follow(self, spec: Spec, reference: Reference) -> Diagnostic | None:
        """Load what *reference* leads to; a finding if it leads nowhere."""
        place = self._root
        try:
            uri = uris.join(spec.uri, reference.file)
            if uri in self._documents or uri in self._links:
                return None
            if uri.startswith(uris.PACKAGE):
                place = self._packaged(uris.path(uri))
                self._load(uri, place, uris.PACKAGE + uris.path(uri))
                return None
            place = self._root / uris.path(uri)
            path = locate(place)
            shown = self._inside(path)
            # By whatever name it is reached, a file has one identity: its definitions are one.
            if uris.project(shown) != uri:
                self._links[uri] = uris.project(shown)
            self._load(uris.project(shown), path, shown)
        except RefusedError as error:
            return refusals.refused(spec, reference, error.refusal)
        except UnreadableError as error:
            return refusals.unreadable(spec, reference, str(error), place)
        return None

    def _packaged(self, path: str) -> Path:
        name, _, rest = path.partition("/")
        folders = [locate(folder) for folder in self._packages(name)]
        if not folders:
            raise RefusedError(Refusal.PACKAGE)
        for folder in folders:
            file = locate(folder / rest)
            # The parts of a namespace package are searched in the order of the path.
            if present(file):
                if not file.is_relative_to(folder):
                    raise RefusedError(Refusal.OUTSIDE)
                return file
        return folders[0] / rest


def _namespace(value: Json, *, plain: bool) -> str | None:
    home = value.get("x-tool") if plain and isinstance(value, dict) else value
    namespace = home.get("namespace") if isinstance(home, dict) else None
    return namespace if isinstance(namespace, str) else None


def _shown(path: str) -> str:
    """*path* with bytes that are no UTF-8 spelled out."""
    return path.encode(errors="backslashreplace").decode()
