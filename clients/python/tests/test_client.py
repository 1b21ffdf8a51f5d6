"""The client against a running service, which tests/clients/python_test.ts starts and fills."""

from __future__ import annotations

import asyncio
import os
import unittest
import unittest.mock
from datetime import date, datetime, timedelta, timezone
from typing import Any

import httpx
import pyarrow as pa
from wattkeeper import (
    AsyncWattkeeper,
    BadRequest,
    Conflict,
    ConnectionFailed,
    Forbidden,
    RejectedRows,
    Retry,
    ServiceError,
    Unauthorized,
    Wattkeeper,
)

URL = os.environ["WATTKEEPER_URL"]
TOKEN = os.environ["WATTKEEPER_TOKEN"]
DAY = datetime(2026, 6, 1, tzinfo=timezone.utc)
QUICK = Retry(attempts=3, first_s=0.001)


def frame_of(tag: str, values: list[Any], hour: int) -> pa.Table:
    """A long table of a value each minute."""
    times = [DAY + timedelta(hours=hour, minutes=i) for i in range(len(values))]
    return pa.table(
        {
            "tag": [tag] * len(values),
            "ts": pa.array(times, pa.timestamp("us", tz="UTC")),
            "value": pa.array(values, pa.float64()),
        }
    )


class ReadTest(unittest.TestCase):
    """Reads of a plant whose inverter has 812.5 kW from 06:00 to 12:00 UTC."""

    def setUp(self) -> None:
        self.wk = Wattkeeper(URL, TOKEN, retry=QUICK)
        self.addCleanup(self.wk.close)

    def test_performance_in_the_time_of_the_plant(self) -> None:
        frame = self.wk.performance(
            project="plant",
            from_=date(2026, 6, 1),
            to="2026-06-01",
            timeseries="inverter.active_power",
            interval="OneHour",
            solar_bounds=False,
            columns=["ts", "sensor_value"],
        )
        self.assertEqual(frame.timezone, "Europe/Madrid")
        rows = {it["ts"].isoformat(): it["sensor_value"] for it in frame.to_pylist()}
        self.assertEqual(rows["2026-06-01T08:00:00+02:00"], 812_500)
        self.assertEqual(min(rows), "2026-06-01T08:00:00+02:00")
        self.assertEqual(frame.table.column_names, ["ts", "sensor_value"])

    def test_frames_of_pandas_and_polars(self) -> None:
        frame = self.wk.signals(
            project="plant",
            from_=DAY + timedelta(hours=6),
            to=DAY + timedelta(hours=7),
            tags=["inv1.p"],
            lane="raw_signal",
            resolution="raw",
        )
        self.assertEqual(len(frame), 60)
        pandas = frame.to_pandas()
        self.assertEqual(str(pandas["ts"].dt.tz), "UTC")
        self.assertEqual(str(pandas["value_int"].dtype), "Int64")
        self.assertEqual(pandas["value"].sum(), 60 * 812.5)
        polars = frame.to_polars()
        self.assertEqual(polars["value"].sum(), 60 * 812.5)
        self.assertEqual(polars.schema["ts"].time_zone, "UTC")

    def test_availability_losses_latest_and_lists(self) -> None:
        where: dict[str, Any] = {"project": "plant", "from_": "2026-06-01", "to": "2026-06-01"}
        self.assertEqual(
            str(self.wk.availability(**where).table.schema.field("ts").type.tz), "Europe/Madrid"
        )
        self.wk.losses(**where)
        [newest] = self.wk.latest(project="plant", tags=["inv1.p"])
        self.assertEqual(newest["ts"], datetime(2026, 6, 1, 12, tzinfo=timezone.utc))
        self.assertEqual(self.wk.projects()[0]["timezone"], "Europe/Madrid")
        self.assertEqual(self.wk.timeseries(project="plant"), ["inverter.active_power"])

    def test_what_is_wrong_is_said(self) -> None:
        with self.assertRaises(Forbidden):
            self.wk.alarms(project="elsewhere")
        with self.assertRaises(BadRequest) as caught:
            self.wk.alarms(project="plant", severty="high")
        self.assertIn("meant severity?", caught.exception.detail)
        self.assertEqual(caught.exception.errors[0]["path"], "severty")
        with self.assertRaisesRegex(ValueError, "has no time zone"):
            self.wk.signals(project="plant", from_=datetime(2026, 6, 1), to=DAY)
        with self.assertRaisesRegex(ValueError, "inverter.active_power"):
            self.wk.performance(
                project="plant", from_="2026-06-01", to="2026-06-01", timeseries="power"
            )
        with Wattkeeper(URL, "wk_wrong", retry=QUICK) as other, self.assertRaises(Unauthorized):
            other.projects()

    def test_a_service_that_is_away(self) -> None:
        with Wattkeeper("http://127.0.0.1:9", TOKEN, retry=QUICK) as away:
            with self.assertRaises(ConnectionFailed):
                away.projects()

    def test_what_was_refused_for_a_time_is_sent_again(self) -> None:
        with Wattkeeper(f"{URL}/flaky", TOKEN, retry=QUICK) as flaky:
            self.assertEqual(flaky.projects()[0]["key"], "plant")
            sent = flaky.ingest(frame_of("again", [1.0], 3), project="plant")
            self.assertEqual(sent.accepted, 1)

    def test_pauses_are_those_that_are_asked_for_or_double(self) -> None:
        self.assertEqual(Retry().pause_s(1, 7.0), 7.0)
        pauses = [Retry(first_s=1.0, longest_s=8.0).pause_s(it, None) for it in range(1, 7)]
        for pause, most in zip(pauses, [1, 2, 4, 8, 8, 8]):
            self.assertTrue(most / 2 <= pause <= most, pauses)

    def test_what_may_have_been_done_is_not_sent_again(self) -> None:
        sent: list[str] = []

        def answer(request: httpx.Request) -> httpx.Response:
            sent.append(request.url.path)
            raise httpx.ReadError("broken")

        with Wattkeeper(
            URL, TOKEN, retry=QUICK, http=httpx.Client(transport=httpx.MockTransport(answer))
        ) as wk:
            id = "01a2094a-7e9c-7b32-8470-7015592ae1e8"
            with self.assertRaises(ConnectionFailed):
                wk.comment("a", project=id, body="twice?")
            self.assertEqual(len(sent), 1)
            with self.assertRaises(ConnectionFailed):
                wk.claim("a", project=id)
            self.assertEqual(len(sent), 4)

    def test_a_service_that_asks_for_a_day_s_pause_is_not_waited_for(self) -> None:
        sent: list[str] = []

        def answer(request: httpx.Request) -> httpx.Response:
            sent.append(request.url.path)
            return httpx.Response(503, headers={"retry-after": "86400"})

        with Wattkeeper(
            URL, TOKEN, retry=QUICK, http=httpx.Client(transport=httpx.MockTransport(answer))
        ) as wk:
            with self.assertRaises(ServiceError) as refused:
                wk.projects()
            self.assertEqual(refused.exception.retry_after_s, 86400)
            self.assertEqual(len(sent), 1)

    def test_an_answer_that_broke_off_is_an_error(self) -> None:
        whole: list[bytes] = []

        def answer(request: httpx.Request) -> httpx.Response:
            if not whole:
                with httpx.Client(base_url=URL) as real:
                    path = f"{request.url.path}?{request.url.query.decode()}"
                    found = real.get(path, headers=request.headers)
                if request.url.path.endswith("projects"):
                    return httpx.Response(200, content=found.content)
                whole.append(found.content)
            # Between two batches, by a proxy that says nothing of it.
            return httpx.Response(200, content=whole[0][:-8])

        with Wattkeeper(
            URL, TOKEN, retry=QUICK, http=httpx.Client(transport=httpx.MockTransport(answer))
        ) as wk:
            with self.assertRaisesRegex(ConnectionFailed, "broke off"):
                wk.signals(project="plant", from_=DAY, to=DAY + timedelta(days=1))

    def test_who_follows_outlives_a_service_that_is_away(self) -> None:
        asked: list[str] = []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request.url.path)
            if 1 < len(asked) < 9:
                raise httpx.ConnectError("away")
            return httpx.Response(200, json=[] if len(asked) == 1 else [event])

        event = {"synced_at": "2026-06-01T00:00:00Z", "svc_occurrence_ref": "a", "event_id": "b"}
        feed: dict[str, Any] = {"project": "01a2094a-7e9c-7b32-8470-7015592ae1e8", "since": DAY}
        client = httpx.Client(transport=httpx.MockTransport(answer))
        with Wattkeeper(URL, TOKEN, retry=QUICK, http=client) as wk:
            page = next(wk.alarm_events(**feed, follow_s=0.001))
            self.assertEqual((page.rows[0]["event_id"], len(asked)), ("b", 9))
            asked[:] = ["before"]
            with self.assertRaises(ConnectionFailed):
                next(wk.alarm_events(**feed, follow_s=0.001))


class SendTest(unittest.TestCase):
    """Samples from frames, and what is read on from a cursor."""

    def setUp(self) -> None:
        self.wk = Wattkeeper(URL, TOKEN, retry=QUICK)
        self.addCleanup(self.wk.close)

    def stored(self, tag: str) -> list[Any]:
        """The values of a tag."""
        frame = self.wk.signals(
            project="plant",
            from_=DAY,
            to=DAY + timedelta(days=1),
            tags=[tag],
            lane="raw_signal",
            resolution="raw",
        )
        return [it["value"] for it in frame.to_pylist()]

    def test_a_long_table_in_parts_and_again(self) -> None:
        table = frame_of("long", [float(it) for it in range(10)], 1)
        first = self.wk.ingest(table, project="plant", rows_per_request=4)
        self.assertEqual((first.accepted, first.duplicates, first.rejected_count), (10, 0, 0))
        again = self.wk.ingest(table, project="plant")
        self.assertEqual((again.accepted, again.duplicates), (0, 10))
        self.assertEqual(self.stored("long"), [float(it) for it in range(10)])

    def test_a_wide_frame_of_pandas(self) -> None:
        import pandas

        at = pandas.date_range("2026-06-01 04:00", periods=3, freq="1min", tz="Europe/Madrid")
        frame = pandas.DataFrame({"wide.a": [1.0, None, 3.0], "wide.b": [4.0, 5.0, 6.0]}, index=at)
        self.assertEqual(self.wk.ingest(frame, project="plant").accepted, 5)
        self.assertEqual(self.stored("wide.a"), [1.0, 3.0])
        with self.assertRaisesRegex(ValueError, "tz_localize"):
            self.wk.ingest(frame.tz_localize(None), project="plant")

    def test_a_long_frame_of_polars(self) -> None:
        import polars

        frame = polars.DataFrame(
            {
                "tag": ["po", "po"],
                "ts": [DAY, DAY + timedelta(minutes=1)],
                "value": [1.5, float("nan")],
            }
        )
        self.assertEqual(self.wk.ingest(frame, project="plant").accepted, 1)
        self.assertEqual(self.stored("po"), [1.5])
        wide = polars.DataFrame(
            {"ts": [DAY, DAY + timedelta(minutes=1)], "w": [1, 2], "x": ["a", None]}
        )
        with self.assertRaisesRegex(ValueError, "replace_time_zone"):
            self.wk.ingest(
                wide.with_columns(polars.col("ts").dt.replace_time_zone(None)), project="plant"
            )
        with self.assertRaisesRegex(ValueError, "rename one of time, w"):
            self.wk.ingest(wide.rename({"ts": "time"}), project="plant")
        self.assertEqual(self.wk.ingest(wide, project="plant").accepted, 3)
        self.assertEqual(self.stored("w"), [1.0, 2.0])

    def test_rejected_rows_are_an_error(self) -> None:
        future = frame_of("late", [1.0, 2.0], 30)
        with self.assertRaises(RejectedRows) as caught:
            self.wk.ingest(future, project="plant")
        self.assertEqual(caught.exception.result.rejected_count, 2)
        told = self.wk.ingest(future, project="plant", on_reject="return")
        self.assertEqual([it["line"] for it in told.rejected], [1, 2])

    def test_a_replay_reads_on_from_its_cursor(self) -> None:
        self.wk.ingest(frame_of("replay", [float(it) for it in range(7)], 2), project="plant")
        pages = []
        asked: dict[str, Any] = {"project": "plant", "tag": ["replay"], "limit": 3}
        for page in self.wk.replay(since=DAY, **asked):
            pages.append(page)
            if len(pages) == 2:
                break
        rest = list(self.wk.replay(cursor=pages[-1].cursor, **asked))
        values = [it["value"] for page in [*pages, *rest] for it in page.rows.to_pylist()]
        self.assertEqual(sorted(values), [float(it) for it in range(7)])
        with self.assertRaisesRegex(ValueError, "since"):
            self.wk.replay(project="plant")


class WorkTest(unittest.TestCase):
    """Alarms and work."""

    def test_an_alarm_from_its_raise_to_its_end(self) -> None:
        with Wattkeeper(URL, TOKEN, retry=QUICK) as wk:
            wk.ingest(frame_of("inv1.t", [70.0, 95.0], 10), project="plant")
            [alarm] = [
                it for it in wk.alarms(project="plant", active=True) if it["status"] == "open"
            ]
            self.assertEqual(alarm["raised_at"].tzinfo, timezone.utc)
            id = alarm["occurrence_id"]
            self.assertEqual(wk.claim(id, project="plant")["status"], "claimed")
            until = datetime(2026, 6, 2, tzinfo=timezone.utc)
            self.assertEqual(
                wk.shelve(id, project="plant", until=until, reason="parts")["status"], "shelved"
            )
            self.assertEqual(wk.unshelve(id, project="plant")["occurrence_id"], id)
            wk.comment(id, project="plant", body="fan replaced")
            self.assertEqual(wk.resolve(id, project="plant", note="fan")["status"], "resolved")
            with self.assertRaises(Conflict):
                wk.claim(id, project="plant")
            with unittest.mock.patch("wattkeeper._plans.list_rows", 1):
                self.assertEqual([it["occurrence_id"] for it in wk.alarms(project="plant")], [id])
                urgent = wk.alarms(project="plant", sort="priority", limit=5)
                self.assertEqual([it["occurrence_id"] for it in urgent], [id])
            pages = list(wk.alarm_events(project="plant", since=DAY, limit=2))
            kinds = [it["type"] for page in pages for it in page.rows if it["occurrence_id"] == id]
            self.assertEqual(kinds[:2], ["raised", "claimed"])
            self.assertIn("commented", kinds)
            self.assertEqual(list(wk.alarm_events(project="plant", cursor=pages[-1].cursor)), [])
            issue = wk.create_issue(project="plant", from_={"alarm": id})
            self.assertEqual(wk.issues(project="plant")[0]["id"], issue["id"])
            order = wk.create_work_order(project="plant", issue_id=issue["id"], title="Fan")
            changed = wk.update_work_order(order["id"], project="plant", priority="high")
            self.assertEqual(changed["priority"], "high")
            self.assertEqual(
                wk.work_orders(project="plant", issue_id=issue["id"])[0]["title"], "Fan"
            )


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    """The same verbs for asyncio."""

    async def test_verbs_and_iterators(self) -> None:
        async with AsyncWattkeeper(f"{URL}/flaky", TOKEN, retry=QUICK) as wk:
            latest, alarms = await asyncio.gather(
                wk.latest(project="plant", tags=["inv1.p"]), wk.alarms(project="plant")
            )
            self.assertEqual(len(latest), 1)
            self.assertIsInstance(alarms, list)
            sent = await wk.ingest(frame_of("async", [1.0, 2.0], 5), project="plant")
            self.assertEqual(sent.accepted, 2)
            rows = 0
            async for page in wk.replay(project="plant", since=DAY, tag=["async"]):
                rows += len(page.rows)
            self.assertEqual(rows, 2)


if __name__ == "__main__":
    unittest.main()
