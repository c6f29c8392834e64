"""Files, and the files that they refer to, until there are no more."""

from __future__ import annotations

from pathlib import Path

from ..contract import Json
from ..diagnostics import Diagnostic, Level, Rule, Span
from ..source import Document, parse
from . import uris
from .files import UnreadableError, read
from .packages import PackageFinder
from .references import Reference, references
from .specs import Spec, Specs
from .uris import Refusal, RefusedError

FILE_UNREADABLE = Rule("file-unreadable", Level.ERROR, "A spec file cannot be read.")
FILE_OUTSIDE = Rule("file-outside", Level.ERROR, "A spec file lies outside the project.")
REF_UNREADABLE = Rule("ref-unreadable", Level.ERROR, "A referenced file cannot be read.")
REF_NETWORK = Rule("ref-network", Level.ERROR, "A reference leads to the network.")
REF_OUTSIDE = Rule("ref-outside", Level.ERROR, "A reference leaves the project or the package.")
REF_PACKAGE = Rule("ref-package", Level.ERROR, "A reference names no installed package.")


class Closure:
    """Collects files; each is read once, by whatever name it is reached."""

    def __init__(self, root: Path, packages: PackageFinder) -> None:
        self.found: list[Diagnostic] = []
        self._root = root.resolve()
        self._packages = packages
        self._files: dict[str, Spec] = {}
        self._documents: dict[str, Spec | None] = {}
        self._links: dict[str, str] = {}

    def add(self, file: Path) -> None:
        """Take *file* up as one that the project lists."""
        path = (self._root / file).resolve()
        if not path.is_relative_to(self._root):
            span = Span(file.as_posix(), 1, 1)
            self.found.append(FILE_OUTSIDE.at(span, "This file lies outside the project."))
            return
        shown = path.relative_to(self._root).as_posix()
        try:
            spec = self._load(uris.project(shown), path, shown)
        except UnreadableError as error:
            message = f"This file cannot be read: {error}."
            self.found.append(FILE_UNREADABLE.at(Span(shown, 1, 1), message))
            return
        if spec is not None:
            self._files[shown] = spec

    def specs(self) -> Specs:
        """Everything that could be parsed."""
        files = tuple(self._files[shown] for shown in sorted(self._files))
        documents = {uri: spec for uri, spec in sorted(self._documents.items()) if spec}
        return Specs(files, documents, self._links)

    def _load(self, uri: str, path: Path, shown: str) -> Spec | None:
        if uri in self._documents:
            return self._documents[uri]
        document, found = parse(read(path), shown)
        self.found += found
        self._documents[uri] = None
        if document is None:
            return None
        plain = shown.endswith(".schema.json")
        spec = Spec(uri, document, _namespace(document.value, plain=plain), plain)
        self._documents[uri] = spec
        for reference in references(document, plain=plain):
            if isinstance(reference, Diagnostic):
                self.found.append(reference)
            else:
                self._follow(spec, reference)
        return spec

    def _follow(self, spec: Spec, reference: Reference) -> None:
        span = spec.document.span(*reference.pointer)
        try:
            uri = uris.join(spec.uri, reference.file)
            self._reach(uri)
        except RefusedError as error:
            self.found.append(_refused(error.refusal).at(span, f"`{reference.file}`"))
        except UnreadableError as error:
            message = f"`{reference.file}` cannot be read: {error}."
            self.found.append(REF_UNREADABLE.at(span, message))

    def _reach(self, uri: str) -> None:
        if uri in self._documents or uri in self._links:
            return
        if uri.startswith(uris.PROJECT):
            path = (self._root / uris.path(uri)).resolve()
            if not path.is_relative_to(self._root):
                raise RefusedError(Refusal.OUTSIDE)
            shown = path.relative_to(self._root).as_posix()
            real = uris.project(shown)
            if real != uri:
                self._links[uri] = real
            self._load(real, path, shown)
        else:
            self._load(uri, self._packaged(uris.path(uri)), uris.PACKAGE + uris.path(uri))

    def _packaged(self, path: str) -> Path:
        name, _, rest = path.partition("/")
        folders = self._packages(name)
        if not folders:
            raise RefusedError(Refusal.PACKAGE)
        for folder in folders:
            file = (folder / rest).resolve()
            if file.exists():
                return file
        raise UnreadableError("there is no such file")


def _namespace(value: Json, *, plain: bool) -> str | None:
    home = value.get("x-tool") if plain and isinstance(value, dict) else value
    namespace = home.get("namespace") if isinstance(home, dict) else None
    return namespace if isinstance(namespace, str) else None


def _refused(refusal: Refusal) -> Rule:
    return {
        Refusal.NETWORK: REF_NETWORK,
        Refusal.ABSOLUTE: REF_NETWORK,
        Refusal.OUTSIDE: REF_OUTSIDE,
        Refusal.PACKAGE: REF_PACKAGE,
    }[refusal]
