"""Reading on from where one stopped: what comes after a cursor, page by page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from . import _verbs
from ._call import Call, Row, text_of
from ._frame import Frame

P = TypeVar("P", Frame, list[Row])


@dataclass(frozen=True)
class Page(Generic[P]):
    """Rows, and the cursor after them: keep it, and read on from it in another program run."""

    rows: P
    cursor: str


@dataclass(frozen=True)
class Feed(Generic[P]):
    """A feed that is read by its watermark."""

    make: Callable[[Mapping[str, Any]], Call[P]]
    #: The cursor's fields and the columns of the last row that they have.
    marks: Mapping[str, str]
    limit: int

    def call(self, cursor: Mapping[str, Any]) -> Call[P]:
        """What asks for the page after a cursor."""
        return self.make({**cursor, "limit": self.limit})

    def page(self, rows: P) -> Page[P]:
        """A page that has rows."""
        last = (
            rows.table.slice(len(rows) - 1).to_pylist()[0] if isinstance(rows, Frame) else rows[-1]
        )
        marks = {name: text_of(name, last[column]) for name, column in self.marks.items()}
        return Page(rows, json.dumps(marks))


def start_of(since: str | datetime | None, cursor: str | None, first: str) -> dict[str, Any]:
    """Where a feed is begun: at a time, or after a cursor of a page."""
    if (since is None) == (cursor is None):
        raise ValueError("give since, a time to begin at, or cursor, that of the last page")
    if cursor is not None:
        marks: dict[str, Any] = json.loads(cursor)
        return marks
    return {first: text_of("since", since)}


def signal_feed(project: str, limit: int, params: Mapping[str, Any]) -> Feed[Frame]:
    """Rows of signals in the order in which they were stored."""
    marks = {"received_since": "received_at", "after_ts": "ts", "after_tag": "sensor_tag"}
    return Feed(
        lambda it: _verbs.signals_page(project=project, params={**params, **it}), marks, limit
    )


def event_feed(project: str, limit: int, params: Mapping[str, Any]) -> Feed[list[Row]]:
    """Alarm events in the order in which they were stored."""
    marks = {
        "updated_since": "synced_at",
        "after": "svc_occurrence_ref",
        "after_event_id": "event_id",
    }
    return Feed(
        lambda it: _verbs.alarm_events_page(project=project, params={**params, **it}), marks, limit
    )
