"""The clients: the same verbs, once plain and once for asyncio."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from datetime import datetime
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import httpx
import pyarrow as pa

from . import _plans, _verbs
from ._call import Call, Retry, Row, can_repeat, is_passing, refusal
from ._errors import ConnectionFailed, WattkeeperError
from ._frame import Frame
from ._replay import Page, event_feed, signal_feed, start_of

P = ParamSpec("P")
T = TypeVar("T")
Made = Call[T] | Generator[Call[Any], Any, T]

_id = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")


class Pause(float):
    """Seconds until a request is sent again."""


class _Verb(Generic[P, T]):
    """A verb as a method of ``Wattkeeper``."""

    def __init__(self, make: Callable[P, Made[T]]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __get__(self, client: Wattkeeper, owner: type) -> Callable[P, T]:
        if client is None:
            return cast(Callable[P, T], self)

        def ask(*args: P.args, **given: P.kwargs) -> T:
            return client._run(self._make(*args, **given))

        ask.__doc__ = self.__doc__
        return ask


class _AsyncVerb(Generic[P, T]):
    """A verb as a method of ``AsyncWattkeeper``."""

    def __init__(self, make: Callable[P, Made[T]]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __get__(self, client: AsyncWattkeeper, owner: type) -> Callable[P, Awaitable[T]]:
        if client is None:
            return cast(Callable[P, Awaitable[T]], self)

        async def ask(*args: P.args, **given: P.kwargs) -> T:
            return await client._run(self._make(*args, **given))

        ask.__doc__ = self.__doc__
        return ask


class _Client:
    """What both have: the address, the token, how a request looks, what an answer means."""

    def __init__(self, url: str, token: str, *, retry: Retry | None = None) -> None:
        if not re.match(r"https?://", url):
            raise ValueError(
                f"url: give the address of the service, such as http://plant:8480, not {url}"
            )
        self._retry = retry or Retry()
        self._headers = {"authorization": f"Bearer {token}", "user-agent": "wattkeeper-python"}
        self._ids: dict[str, str] = {}

    def _known(self, call: Call[Any]) -> bool:
        """Whether the id of a call's project is known."""
        return (
            call.project is None
            or bool(_id.fullmatch(call.project[1]))
            or call.project[1] in self._ids
        )

    def _learn(self, call: Call[Any], projects: list[Row]) -> None:
        assert call.project is not None
        self._ids[call.project[1]] = _plans.project_id(projects, call.project[1])

    def _sent(self, call: Call[Any]) -> dict[str, Any]:
        name = call.project[1] if call.project else ""
        return {
            "method": call.method,
            "url": call.path,
            "params": call.query(self._ids.get(name, name)),
            "headers": {**self._headers, **call.headers},
            "json": call.json,
            "content": call.content,
        }

    def _judge(self, call: Call[T], attempt: int, response: httpx.Response) -> T | Pause:
        """What an answer holds, or the seconds until it is asked again. Throws what is wrong."""
        if response.is_success:
            try:
                return call.read(response)
            except (pa.ArrowInvalid, OSError) as broken:
                raise httpx.RemoteProtocolError(f"the answer broke off: {broken}") from broken
        error = refusal(response)
        if attempt >= self._retry.attempts or not can_repeat(call, error):
            raise error
        return Pause(self._retry.pause_s(attempt, error.retry_after_s))

    def _after(self, call: Call[Any], attempt: int, error: httpx.TransportError) -> Pause:
        """The seconds until it is sent again after a connection failed. Throws where it is not."""
        never_sent = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout))
        if attempt < self._retry.attempts and (never_sent or can_repeat(call, None)):
            return Pause(self._retry.pause_s(attempt, None))
        raise ConnectionFailed(
            f"{call.method} {call.path}: {error or type(error).__name__}"
        ) from error


class Wattkeeper(_Client):
    """A client of a service: ``Wattkeeper("http://plant:8480", token)``.

    What is refused for a time (429, 503) is sent again after ``Retry-After``; so is what broke off,
    where that can't be done twice. Close it, or use it with ``with``.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        retry: Retry | None = None,
        timeout_s: float = 60.0,
        http: httpx.Client | None = None,
    ) -> None:
        super().__init__(url, token, retry=retry)
        self._http = http or httpx.Client(timeout=timeout_s)
        self._http.base_url = httpx.URL(url)

    projects = _Verb(_verbs.projects)
    timeseries = _Verb(_verbs.timeseries)
    performance = _Verb(_verbs.performance)
    availability = _Verb(_verbs.availability)
    losses = _Verb(_verbs.losses)
    signals = _Verb(_plans.signals)
    latest = _Verb(_verbs.latest)
    ingest = _Verb(_plans.ingest)
    alarms = _Verb(_plans.alarms)
    alarm = _Verb(_verbs.alarm)
    claim = _Verb(_verbs.claim)
    release = _Verb(_verbs.release)
    shelve = _Verb(_verbs.shelve)
    unshelve = _Verb(_verbs.unshelve)
    resolve = _Verb(_verbs.resolve)
    reopen = _Verb(_verbs.reopen)
    comment = _Verb(_verbs.comment)
    issues = _Verb(_plans.issues)
    create_issue = _Verb(_verbs.create_issue)
    update_issue = _Verb(_verbs.update_issue)
    work_orders = _Verb(_plans.work_orders)
    create_work_order = _Verb(_verbs.create_work_order)
    update_work_order = _Verb(_verbs.update_work_order)

    def replay(
        self,
        *,
        project: str,
        since: str | datetime | None = None,
        cursor: str | None = None,
        follow_s: float | None = None,
        resolution: str = "raw",
        limit: int = _plans.page_rows,
        **params: Any,
    ) -> Iterator[Page[Frame]]:
        """Samples in the order in which they were stored, late ones included, page by page.

        Begins at ``since`` (a time of storing) or after the ``cursor`` of a page. Ends when nothing
        more is there, or, with ``follow_s``, asks again after so many seconds, also while the
        service is away once it has answered. ``resolution`` is ``raw`` (each sample) or ``1m``
        (each minute). Other parameters are those of the endpoint,
        such as ``tag`` and ``lane``.
        """
        feed = signal_feed(project, limit, {"resolution": resolution, **params})
        return self._follow(feed, start_of(since, cursor, "received_since"), follow_s)

    def alarm_events(
        self,
        *,
        project: str,
        since: str | datetime | None = None,
        cursor: str | None = None,
        follow_s: float | None = None,
        limit: int = _plans.list_rows,
        **params: Any,
    ) -> Iterator[Page[list[Row]]]:
        """Events of alarms in the order in which they were stored; as ``replay``."""
        feed = event_feed(project, limit, params)
        return self._follow(feed, start_of(since, cursor, "updated_since"), follow_s)

    def _follow(self, feed: Any, marks: dict[str, Any], follow_s: float | None) -> Iterator[Any]:
        has_begun = False
        while True:
            try:
                rows = self._run(feed.call(marks))
            except WattkeeperError as error:
                if follow_s is None or not has_begun or not is_passing(error):
                    raise
                time.sleep(follow_s)
                continue
            has_begun = True
            if len(rows) > 0:
                page = feed.page(rows)
                yield page
                marks = start_of(None, page.cursor, "")
            if len(rows) < feed.limit:
                if follow_s is None:
                    return
                time.sleep(follow_s)

    def _run(self, made: Made[T]) -> T:
        if isinstance(made, Call):
            return self._send(made)
        try:
            call = next(made)
            while True:
                call = made.send(self._send(call))
        except StopIteration as end:
            return cast(T, end.value)

    def _send(self, call: Call[T]) -> T:
        if not self._known(call):
            self._learn(call, self._send(_verbs.projects()))
        for attempt in range(1, self._retry.attempts + 1):
            try:
                answer = self._judge(call, attempt, self._http.request(**self._sent(call)))
            except httpx.TransportError as error:
                answer = self._after(call, attempt, error)
            if not isinstance(answer, Pause):
                return answer
            time.sleep(answer)
        raise AssertionError("the last attempt answers or throws")

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def __enter__(self) -> Wattkeeper:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncWattkeeper(_Client):
    """The same for asyncio: every verb is awaited, every iterator is read by ``async for``."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        retry: Retry | None = None,
        timeout_s: float = 60.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(url, token, retry=retry)
        self._http = http or httpx.AsyncClient(timeout=timeout_s)
        self._http.base_url = httpx.URL(url)

    projects = _AsyncVerb(_verbs.projects)
    timeseries = _AsyncVerb(_verbs.timeseries)
    performance = _AsyncVerb(_verbs.performance)
    availability = _AsyncVerb(_verbs.availability)
    losses = _AsyncVerb(_verbs.losses)
    signals = _AsyncVerb(_plans.signals)
    latest = _AsyncVerb(_verbs.latest)
    ingest = _AsyncVerb(_plans.ingest)
    alarms = _AsyncVerb(_plans.alarms)
    alarm = _AsyncVerb(_verbs.alarm)
    claim = _AsyncVerb(_verbs.claim)
    release = _AsyncVerb(_verbs.release)
    shelve = _AsyncVerb(_verbs.shelve)
    unshelve = _AsyncVerb(_verbs.unshelve)
    resolve = _AsyncVerb(_verbs.resolve)
    reopen = _AsyncVerb(_verbs.reopen)
    comment = _AsyncVerb(_verbs.comment)
    issues = _AsyncVerb(_plans.issues)
    create_issue = _AsyncVerb(_verbs.create_issue)
    update_issue = _AsyncVerb(_verbs.update_issue)
    work_orders = _AsyncVerb(_plans.work_orders)
    create_work_order = _AsyncVerb(_verbs.create_work_order)
    update_work_order = _AsyncVerb(_verbs.update_work_order)

    def replay(
        self,
        *,
        project: str,
        since: str | datetime | None = None,
        cursor: str | None = None,
        follow_s: float | None = None,
        resolution: str = "raw",
        limit: int = _plans.page_rows,
        **params: Any,
    ) -> AsyncIterator[Page[Frame]]:
        """Samples in the order in which they were stored; see ``Wattkeeper.replay``."""
        feed = signal_feed(project, limit, {"resolution": resolution, **params})
        return self._follow(feed, start_of(since, cursor, "received_since"), follow_s)

    def alarm_events(
        self,
        *,
        project: str,
        since: str | datetime | None = None,
        cursor: str | None = None,
        follow_s: float | None = None,
        limit: int = _plans.list_rows,
        **params: Any,
    ) -> AsyncIterator[Page[list[Row]]]:
        """Events of alarms in the order in which they were stored; as ``replay``."""
        feed = event_feed(project, limit, params)
        return self._follow(feed, start_of(since, cursor, "updated_since"), follow_s)

    async def _follow(
        self, feed: Any, marks: dict[str, Any], follow_s: float | None
    ) -> AsyncIterator[Any]:
        has_begun = False
        while True:
            try:
                rows = await self._run(feed.call(marks))
            except WattkeeperError as error:
                if follow_s is None or not has_begun or not is_passing(error):
                    raise
                await asyncio.sleep(follow_s)
                continue
            has_begun = True
            if len(rows) > 0:
                page = feed.page(rows)
                yield page
                marks = start_of(None, page.cursor, "")
            if len(rows) < feed.limit:
                if follow_s is None:
                    return
                await asyncio.sleep(follow_s)

    async def _run(self, made: Made[T]) -> T:
        if isinstance(made, Call):
            return await self._send(made)
        try:
            call = next(made)
            while True:
                call = made.send(await self._send(call))
        except StopIteration as end:
            return cast(T, end.value)

    async def _send(self, call: Call[T]) -> T:
        if not self._known(call):
            self._learn(call, await self._send(_verbs.projects()))
        for attempt in range(1, self._retry.attempts + 1):
            try:
                answer = self._judge(call, attempt, await self._http.request(**self._sent(call)))
            except httpx.TransportError as error:
                answer = self._after(call, attempt, error)
            if not isinstance(answer, Pause):
                return answer
            await asyncio.sleep(answer)
        raise AssertionError("the last attempt answers or throws")

    async def close(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncWattkeeper:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
