"""Handlers of the tools of `notes`."""

from __future__ import annotations

from notes_app.tools import notes


async def add_note(
    args: notes.AddNoteArgs, context: notes.AddNoteContext
) -> notes.AddNoteOutcome:
    """Keep a note."""
    raise NotImplementedError


tools = notes.notes_tools(
    add_note=add_note,
)
