"""What takes several requests: each plan yields its calls, gets their answers, gives one result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from . import _verbs
from ._call import Call, Row
from ._errors import RejectedRows
from ._frame import Frame, IngestResult, join_frames, sent_tables
from ._verbs import Texts, Time

T = TypeVar("T")
Plan = Generator[Call[Any], Any, T]

#: The most rows that the service gives at once.
page_rows = 100_000
list_rows = 10_000


def signals(
    *,
    project: str,
    from_: Time,
    to: Time,
    tags: Texts = None,
    devices: Texts = None,
    tag_class: str | None = None,
    lane: str = "raw_signal",
    resolution: str = "raw",
    every: str | None = None,
    include: Texts = None,
    columns: Texts = None,
) -> Plan[Frame]:
    """Values of tags from ``from_`` to before ``to``, as Arrow: all of them, read page by page.

    ``lane`` is ``raw_signal`` (as sent) or ``performance`` (in the unit of the measure),
    ``resolution`` is ``raw`` (each sample) or ``1m`` (each minute). ``every``, such as ``15m``, gives
    one row each such time instead.
    """
    params = {
        "from": from_,
        "to": to,
        "tag": tags,
        "device_id": devices,
        "tag_class": tag_class,
        "lane": lane,
        "resolution": None if every else resolution,
        "every": every,
        "include": include,
        "columns": columns,
        "limit": page_rows,
    }
    pages: list[Frame] = []
    while not pages or len(pages[-1]) == page_rows:
        asked = {**params, "offset": len(pages) * page_rows}
        pages.append((yield _verbs.signals_page(project=project, params=asked)))
    return join_frames(pages)


def alarms(
    *,
    project: str,
    active: bool | None = None,
    status: Texts = None,
    severity: Texts = None,
    updated_since: Time | None = None,
    limit: int | None = None,
    **params: Any,
) -> Plan[list[Row]]:
    """Alarms, each with its newest events: all of them, or the first ``limit``.

    Other parameters of the endpoint can be given too, such as ``sort="priority"``.
    """
    asked = {"active": active, "status": status, "severity": severity, **params}

    def after(rows: list[Row]) -> dict[str, Any]:
        marks: dict[str, Any] = {"after": rows[-1]["svc_occurrence_ref"]} if rows else {}
        if rows and "sort" not in params:
            return {**marks, "updated_since": rows[-1]["synced_at"]}
        return {"updated_since": updated_since, **marks}

    return _pages(
        lambda it: _verbs.alarms_page(project=project, params={**asked, **it}), after, limit
    )


def issues(
    *,
    project: str,
    status: str | None = None,
    priority: str | None = None,
    updated_since: Time | None = None,
    limit: int | None = None,
    **params: Any,
) -> Plan[list[Row]]:
    """Issues with their devices and work orders: all of them, or the first ``limit``."""
    asked = {"status": status, "priority": priority, "updated_since": updated_since, **params}
    return _pages(
        lambda it: _verbs.issues_page(project=project, params={**asked, **it}), _offset, limit
    )


def work_orders(
    *,
    project: str,
    status: str | None = None,
    issue_id: str | None = None,
    device_id: str | None = None,
    updated_since: Time | None = None,
    limit: int | None = None,
    **params: Any,
) -> Plan[list[Row]]:
    """Work orders: all of them, or the first ``limit``."""
    of = {"status": status, "issue_id": issue_id, "device_id": device_id}
    asked = {**of, "updated_since": updated_since, **params}
    return _pages(
        lambda it: _verbs.work_orders_page(project=project, params={**asked, **it}), _offset, limit
    )


def _offset(rows: list[Row]) -> dict[str, Any]:
    return {"offset": len(rows)}


def _pages(
    make: Callable[[dict[str, Any]], Call[list[Row]]],
    after: Callable[[list[Row]], dict[str, Any]],
    limit: int | None,
) -> Plan[list[Row]]:
    """Every page, of which ``after`` says where it begins; or the first rows alone."""
    rows: list[Row] = []
    while limit is None or len(rows) < limit:
        most = list_rows if limit is None else min(list_rows, limit - len(rows))
        page: list[Row] = yield make({**after(rows), "limit": most})
        rows.extend(page)
        if len(page) < most:
            break
    return rows


def ingest(
    data: Any,
    *,
    project: str,
    lane: str = "signal",
    rows_per_request: int = 200_000,
    on_reject: str = "raise",
) -> Plan[IngestResult]:
    """Sends samples of a frame of pandas or polars, or an Arrow table.

    A long frame has columns ``tag``, ``ts`` and ``value``; a wide one ``ts`` (or an index of times)
    and a column for each tag. Times need a zone. Sending again is safe: those are duplicates. Raises
    ``RejectedRows`` at the end if some were rejected (the others are stored), unless ``on_reject``
    is ``return``.
    """
    if on_reject not in ("raise", "return"):
        raise ValueError(f"on_reject: give raise or return, not {on_reject}")
    accepted = duplicates = rejected_count = before = 0
    rejected: list[dict[str, Any]] = []
    for content, rows in sent_tables(data, rows=rows_per_request):
        part: IngestResult = yield _verbs.ingest_part(content, project=project, lane=lane)
        accepted += part.accepted
        duplicates += part.duplicates
        rejected_count += part.rejected_count
        rejected += [{**it, "line": it["line"] + before} for it in part.rejected]
        before += rows
    result = IngestResult(accepted, duplicates, rejected_count, rejected)
    if rejected_count > 0 and on_reject == "raise":
        raise RejectedRows(result)
    return result


def project_id(rows: Sequence[Row], project: str) -> str:
    """The id of a project by its key; what it is otherwise, for the service to judge."""
    return next((str(it["project_id"]) for it in rows if it["key"] == project), project)
