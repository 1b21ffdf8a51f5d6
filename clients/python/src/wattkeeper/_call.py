"""A request as a value, how its answer is read, and when it is sent again. Does no I/O."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Generic, TypeVar

import httpx

from ._errors import ConnectionFailed, ServiceError, error_class

T = TypeVar("T")

#: What a parameter can be; None is left out, a list is repeated.
Value = str | int | float | bool | date | datetime | Sequence[str] | None
#: A row as JSON has it, its times as ``datetime``.
Row = dict[str, Any]

ARROW = "application/vnd.apache.arrow.stream"


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request; ``read`` makes what the caller gets of the answer."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    params: Mapping[str, Value] = field(default_factory=dict)
    #: The parameter that names a project, by key or id.
    project: tuple[str, str] | None = None
    json: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether it can be sent again though the first one may have been done.
    repeatable: bool = False

    def query(self, project_id: str | None) -> list[tuple[str, str]]:
        """The parameters as they are sent."""
        named = [] if self.project is None else [(self.project[0], project_id or self.project[1])]
        pairs = list(named)
        for name, value in self.params.items():
            if value is None:
                continue
            values = [value] if isinstance(value, (str, int, float, date)) else list(value)
            pairs.extend((name, text_of(name, it)) for it in values)
        return pairs


def text_of(name: str, value: Any) -> str:
    """A parameter as text. A time needs a zone: ``ValueError`` without."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(
                f"{name}: {value} has no time zone; give one, such as "
                "datetime(2026, 6, 1, tzinfo=timezone.utc)"
            )
        return value.isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def day_of(name: str, value: str | date) -> str:
    """A calendar day ``YYYY-MM-DD``: that of a time is not clear."""
    if isinstance(value, datetime):
        raise ValueError(f"{name}: give a day of the plant, such as date(2026, 6, 1), not a time")
    return value if isinstance(value, str) else value.isoformat()


@dataclass(frozen=True)
class Retry:
    """How often, and with which pauses, a request is sent again.

    A pause is as long as the service asks for (``Retry-After``), or doubles from ``first_s``, with
    a part by chance. Where the service asks for more than five minutes, its error comes at once.
    """

    attempts: int = 5
    first_s: float = 0.5
    longest_s: float = 30.0

    def pause_s(self, attempt: int, retry_after_s: float | None) -> float:
        """Seconds to wait after the attempt with this number, from 1."""
        if retry_after_s is not None:
            return retry_after_s
        pause: float = min(self.longest_s, self.first_s * 2 ** (attempt - 1))
        return pause * random.uniform(0.5, 1.0)


#: Refused before anything was done.
_refused = {429, 503}
_broken = {500, 502, 504}
_longest_asked_s = 300.0


def can_repeat(call: Call[Any], error: ServiceError | None) -> bool:
    """Whether a request may be sent again after this error; None: there was no answer."""
    if error is None:
        return call.repeatable
    if (error.retry_after_s or 0.0) > _longest_asked_s:
        return False
    return error.status in _refused or (call.repeatable and error.status in _broken)


def is_passing(error: Exception) -> bool:
    """Whether what failed can be over later: the service is away, or has too much to do."""
    if isinstance(error, ServiceError):
        return error.status in _refused | {502, 504}
    return isinstance(error, ConnectionFailed)


def refusal(response: httpx.Response) -> ServiceError:
    """What the service says is wrong."""
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    after = response.headers.get("retry-after", "")
    detail = problem.get("detail") or response.text[:500] or "no detail was given"
    return error_class(response.status_code)(
        response.status_code,
        title=problem.get("title") or response.reason_phrase,
        detail=detail,
        errors=problem.get("errors") or [],
        request_id=problem.get("instance") or response.headers.get("x-request-id"),
        retry_after_s=float(after) if after.isdigit() else None,
    )


def read_json(response: httpx.Response) -> Any:
    """The answer's JSON, its times as ``datetime``."""
    return json.loads(response.content, object_hook=_with_times)


def read_rows(response: httpx.Response) -> list[Row]:
    """A list of rows."""
    rows: list[Row] = read_json(response)
    return rows


def read_row(response: httpx.Response) -> Row:
    """One row."""
    row: Row = read_json(response)
    return row


_instant = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def _with_times(row: Row) -> Row:
    for name, value in row.items():
        if isinstance(value, str) and _is_time(name) and _instant.fullmatch(value):
            row[name] = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return row


def _is_time(name: str) -> bool:
    return name == "ts" or name.endswith(("_at", "_ts", "_from", "_to", "_date"))
