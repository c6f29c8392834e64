"""The base class of generated models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ToolModel(BaseModel):
    """A typed view of JSON that an exact validator has accepted.

    It is lax on purpose: it never refuses what the schema allows, and keeps properties that the
    schema does not name. Its validator is built when a tool is first used. Constructors take
    Python names and wire names; JSON is only ever read by wire name.
    """

    model_config = ConfigDict(
        extra="allow",
        defer_build=True,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        protected_namespaces=(),
    )
