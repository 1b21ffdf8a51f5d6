"""What can be asked of the service: each verb once, as a function that makes its call.

The clients have each of them as a method. ``project`` is the key or the id of a project. Times are
``datetime`` with a zone, or texts of ISO 8601; days are ``date`` or ``YYYY-MM-DD``.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from ._call import ARROW, Call, Row, day_of, read_json, read_row, read_rows, text_of
from ._frame import Frame, IngestResult, read_frame

Texts = Sequence[str] | None
Day = str | date
Time = str | datetime

_arrow = {"accept": ARROW}


def projects() -> Call[list[Row]]:
    """The projects that the token reaches, with their sites and time zones."""
    return Call("GET", "/platform/v1/meta/projects", lambda it: list(read_json(it)["projects"]))


def timeseries(*, project: str) -> Call[list[str]]:
    """What ``performance`` can be asked for: each component and measure that a sensor has."""
    return Call(
        "GET",
        "/platform/v1/meta/devices",
        lambda it: _timeseries_of(read_json(it)),
        project=("project_id", project),
        repeatable=True,
    )


def _timeseries_of(book: Row) -> list[str]:
    sensors = [*book["sensors"], *(it for device in book["devices"] for it in device["sensors"])]
    return sorted({f"{it['component']}.{it['component_measure']}" for it in sensors})


def performance(
    *,
    project: str,
    from_: Day,
    to: Day,
    timeseries: str,
    interval: str = "OneHour",
    group_by: Texts = None,
    sensors: Texts = None,
    blocks: Texts = None,
    include: Texts = None,
    solar_bounds: bool = True,
    columns: Texts = None,
) -> Call[Frame]:
    """Measured and expected values by bucket, as Arrow; ``ts`` is in the time zone of the plant.

    ``timeseries`` is a component and its measure, such as ``inverter.active_power``. ``from_`` and
    ``to`` are the first and the last day. ``group_by`` takes ``project_id``, ``block_id`` and
    ``hierarchy_id`` (all three by default), ``include`` such as ``matched`` or ``forecast``.
    """
    component, dot, measure = timeseries.partition(".")
    if not dot:
        raise ValueError(
            f"timeseries: give a component and its measure, such as inverter.active_power, not {timeseries}"
        )
    return _buckets(
        "/platform/v1/performance-v2",
        (project, from_, to),
        {
            "component": component,
            "component_measure": measure,
            "time_interval": interval,
            "group_by": group_by,
            "hierarchy_ids": sensors,
            "block_ids": blocks,
            "use_solar_bounds": solar_bounds,
        },
        include=include,
        columns=columns,
    )


def availability(
    *,
    project: str,
    from_: Day,
    to: Day,
    interval: str = "OneDay",
    group_by: Texts = None,
    sensors: Texts = None,
    blocks: Texts = None,
    columns: Texts = None,
) -> Call[Frame]:
    """Availability of the inverters by bucket (IEC TS 63019)."""
    params = {"time_interval": interval, "group_by": group_by}
    return _buckets(
        "/platform/v1/availability",
        (project, from_, to),
        {**params, "hierarchy_ids": sensors, "block_ids": blocks},
        include=None,
        columns=columns,
    )


def losses(
    *,
    project: str,
    from_: Day,
    to: Day,
    interval: str = "OneDay",
    group_by: Texts = None,
    sensors: Texts = None,
    blocks: Texts = None,
    include: Texts = None,
    columns: Texts = None,
) -> Call[Frame]:
    """Expected energy by bucket, split into produced energy and losses by cause."""
    params = {"time_interval": interval, "group_by": group_by}
    return _buckets(
        "/platform/v1/losses",
        (project, from_, to),
        {**params, "hierarchy_ids": sensors, "block_ids": blocks},
        include=include,
        columns=columns,
    )


def _buckets(
    path: str,
    where: tuple[str, Day, Day],
    params: Mapping[str, Any],
    *,
    include: Texts,
    columns: Texts,
) -> Call[Frame]:
    project, from_, to = where
    days = {"dt_start": day_of("from_", from_), "dt_end": day_of("to", to)}
    asked = None if columns is None else [*[it for it in columns if it != "ts_utc"], "ts_utc"]
    return Call(
        "GET",
        path,
        read_frame,
        params={**params, **days, "include": [*(include or []), "ts_utc"], "columns": asked},
        project=("project_ids", project),
        headers=_arrow,
        repeatable=True,
    )


def signals_page(
    *,
    project: str,
    params: Mapping[str, Any],
) -> Call[Frame]:
    """One page of signal rows with the parameters of ``/platform/v1/signals`` as they are."""
    return Call(
        "GET",
        "/platform/v1/signals",
        read_frame,
        params=params,
        project=("project_id", project),
        headers=_arrow,
        repeatable=True,
    )


def latest(*, project: str, tags: Texts = None, measures: Texts = None) -> Call[list[Row]]:
    """The newest value of each tag."""
    return Call(
        "GET",
        "/platform/v1/signals/latest",
        lambda it: list(read_json(it)["values"]),
        params={"sensor_tag": tags, "component_measure": measures},
        project=("project_id", project),
        repeatable=True,
    )


def alarms_page(*, project: str, params: Mapping[str, Any]) -> Call[list[Row]]:
    """One page of alarms, with the parameters of ``/platform/v1/alarms`` as they are."""
    return _list("/platform/v1/alarms", project, params)


def alarm(occurrence_id: str, *, project: str) -> Call[Row]:
    """One alarm with all of its events."""
    path = f"/platform/v1/alarms/{quote(occurrence_id, safe='')}"
    return Call("GET", path, read_row, project=("project_id", project), repeatable=True)


def claim(occurrence_id: str, *, project: str, user: str | None = None) -> Call[Row]:
    """Takes an alarm for a user (by id or e-mail address; that of the token by default)."""
    return _act("claim", occurrence_id, project, {"user": user})


def release(occurrence_id: str, *, project: str, user: str | None = None) -> Call[Row]:
    """Gives a claimed alarm back into the queue."""
    return _act("release", occurrence_id, project, {"user": user})


def shelve(
    occurrence_id: str, *, project: str, until: Time, reason: str, user: str | None = None
) -> Call[Row]:
    """Takes an alarm out of the queue until a time, with the reason."""
    body = {"until": text_of("until", until), "reason": reason, "user": user}
    return _act("shelve", occurrence_id, project, body)


def unshelve(occurrence_id: str, *, project: str, user: str | None = None) -> Call[Row]:
    """Puts a shelved alarm back into the queue."""
    return _act("unshelve", occurrence_id, project, {"user": user})


def resolve(occurrence_id: str, *, project: str, note: str, user: str | None = None) -> Call[Row]:
    """Ends an alarm with a note of what was found and done."""
    return _act("resolve", occurrence_id, project, {"note": note, "user": user})


def reopen(occurrence_id: str, *, project: str, user: str | None = None) -> Call[Row]:
    """Puts a resolved alarm back into the queue."""
    return _act("reopen", occurrence_id, project, {"user": user})


def comment(occurrence_id: str, *, project: str, body: str, user: str | None = None) -> Call[Row]:
    """Adds a comment to an alarm's timeline."""
    return _act("comment", occurrence_id, project, {"body": body, "user": user})


def _act(action: str, occurrence_id: str, project: str, body: Mapping[str, Any]) -> Call[Row]:
    return Call(
        "POST",
        f"/platform/v1/alarms/{quote(occurrence_id, safe='')}/{action}",
        read_row,
        project=("project_id", project),
        json={name: value for name, value in body.items() if value is not None},
        # The service changes nothing where the same user repeats it; a comment would stand twice.
        repeatable=action != "comment",
    )


def issues_page(*, project: str, params: Mapping[str, Any]) -> Call[list[Row]]:
    """One page of issues, with the parameters of ``/platform/v1/issues`` as they are."""
    return _list("/platform/v1/issues", project, params)


def create_issue(*, project: str, **fields: Any) -> Call[Row]:
    """Opens an issue of some fields, such as ``name``, ``priority``; or ``from_={"alarm": id}``."""
    return _create("/platform/v1/issues", project, fields)


def update_issue(issue_id: str, *, project: str, **fields: Any) -> Call[Row]:
    """Changes fields of an issue."""
    return _update("/platform/v1/issues", issue_id, project, fields)


def work_orders_page(*, project: str, params: Mapping[str, Any]) -> Call[list[Row]]:
    """One page of work orders, with the parameters of ``/platform/v1/work-orders`` as they are."""
    return _list("/platform/v1/work-orders", project, params)


def create_work_order(*, project: str, **fields: Any) -> Call[Row]:
    """Makes a work order of some fields, such as ``issue_id`` and ``title``."""
    return _create("/platform/v1/work-orders", project, fields)


def update_work_order(work_order_id: str, *, project: str, **fields: Any) -> Call[Row]:
    """Changes fields of a work order."""
    return _update("/platform/v1/work-orders", work_order_id, project, fields)


def alarm_events_page(*, project: str, params: Mapping[str, Any]) -> Call[list[Row]]:
    """One page of the feed of alarm events, with its parameters as they are."""
    return _list("/platform/v1/alarms/events", project, params)


def _list(path: str, project: str, params: Mapping[str, Any]) -> Call[list[Row]]:
    return Call(
        "GET", path, read_rows, params=params, project=("project_id", project), repeatable=True
    )


def _create(path: str, project: str, fields: Mapping[str, Any]) -> Call[Row]:
    return Call(
        "POST",
        path,
        read_row,
        project=("project_id", project),
        json=_body(fields),
        # By this key the service does it once, however often it is sent.
        headers={"idempotency-key": str(uuid.uuid4())},
        repeatable=True,
    )


def _update(path: str, id: str, project: str, fields: Mapping[str, Any]) -> Call[Row]:
    at = f"{path}/{quote(id, safe='')}"
    return Call("PATCH", at, read_row, project=("project_id", project), json=_body(fields))


def _body(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as JSON: ``from_`` is ``from``, which Python has for itself."""
    return {
        name.rstrip("_"): text_of(name, it) if isinstance(it, date) else it
        for name, it in fields.items()
    }


def ingest_part(content: bytes, *, project: str, lane: str) -> Call[IngestResult]:
    """Samples as an Arrow stream; sent again, they are duplicates."""
    return Call(
        "POST",
        "/ingest/v1/signals",
        _read_ingest,
        params={"lane": lane},
        project=("project_id", project),
        content=content,
        headers={"content-type": ARROW},
        repeatable=True,
    )


def _read_ingest(response: Any) -> IngestResult:
    said = read_json(response)
    names = ("accepted", "duplicates", "rejected_count", "rejected")
    return IngestResult(**{name: said[name] for name in names})
