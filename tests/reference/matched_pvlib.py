# Whether the matched index of a perfect inverter is 1.000 whatever is missing, by pvlib.
#
#   python3 -m venv /tmp/pvlib && /tmp/pvlib/bin/pip install pvlib pandas requests
#   /tmp/pvlib/bin/python tests/reference/matched_pvlib.py            # all of it, some minutes
#   /tmp/pvlib/bin/python tests/reference/matched_pvlib.py 5 --hours  # one spacing, every hour
#
# It starts the service in a temporary directory, with a site for each spacing (1, 5, 15 minutes),
# and sends a clear and a partly cloudy day for each flaw below. A value is the mean of the minute
# that its time begins; between two values the irradiance is a straight line. Three inverters give
# exactly what pvlib's PVWatts makes of that irradiance: A sends its power, which is integrated, B a
# counter, C amounts per interval. Then samples are taken out, stuck, or made bad; but air and wind
# stay, for without them the cell temperature follows another formula.
#
# For each day it prints the plain index, the matched index and the coverage, and of the day's
# hours the lowest and the highest matched index. It exits with 1 if a matched index of a day is not
# 1.000 +- 0.005 (0.006 for A's integral: trapezoids are half a minute ahead of a model by minutes;
# it may be null where the coverage is 0), or if the one by setpoint differs, for there is none. On
# a cloudy day whose light was removed at random, lines cross clouds: there +- 0.01 where the
# coverage is 0.5 or more, and no judgement below. A service that does not know include=matched is
# asked for the plain figures only; then the days without a flaw must be right.
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
import pvlib
import requests

root = pathlib.Path(__file__).parents[2]
first_day = pd.Timestamp("2025-05-05", tz="UTC")
latitude, longitude = 40.0, 0.0
rated_dc_w, rated_ac_w, gamma, efficiency = 1_200_000, 1_000_000, -0.0035, 0.96
ambient, wind = 20.0, 3.0
tolerance = 0.005
dice = np.random.default_rng(12)


# --- What is sent: for each tag a series by minute, and what a flaw leaves of it.


def span(times, begin, end):
    """Whether times lie in [begin, end) hours of their day."""
    hours = times.hour + times.minute / 60
    return (hours >= begin) & (hours < end)


def nothing(samples):
    pass


def missing(tags, begin, end):
    def flaw(samples):
        for tag in tags:
            samples[tag] = samples[tag][~span(samples[tag].index, begin, end)]

    return flaw


def several(*flaws):
    def flaw(samples):
        for each in flaws:
            each(samples)

    return flaw


def stuck(samples):
    light = samples["poa"]
    held = span(light.index, 11, 13)
    light.loc[held, "value"] = light.loc[held, "value"].iloc[0]


def bad(tags, begin, end):
    def flaw(samples):
        for tag in tags:
            samples[tag].loc[span(samples[tag].index, begin, end), "quality"] = "bad"

    return flaw


def removed(share):
    def flaw(samples):
        for tag in ["poa", *outputs]:
            rows = samples[tag]
            samples[tag] = rows[dice.random(len(rows)) >= share]

    return flaw


outputs = ["a.p", "b.wh", "c.wh"]
flaws = {
    "none": nothing,
    "no light 10-14": missing(["poa"], 10, 14),
    "silent 10-14": missing(outputs, 10, 14),
    "counter gaps": several(missing(["b.wh"], 8, 8.5), missing(["b.wh"], 11, 14)),
    "stuck light 11-13": stuck,
    "bad spans": several(bad(["poa"], 9, 10), bad(outputs, 12, 13.5)),
    **{f"{share} % removed": removed(share / 100) for share in (10, 30, 50, 70, 90)},
}


def irradiance(day, cloudy):
    """W/m2 in the plane of array, 30 degrees to the south, by minute."""
    times = pd.date_range(day, periods=1440, freq="min")
    place = pvlib.location.Location(latitude, longitude)
    sun = place.get_solarposition(times)
    clear = place.get_clearsky(times, solar_position=sun, linke_turbidity=3)
    plane = pvlib.irradiance.get_total_irradiance(
        *(30, 180, sun.apparent_zenith, sun.azimuth, clear.dni, clear.ghi, clear.dhi)
    )["poa_global"].fillna(0)
    if not cloudy:
        return plane
    minute = np.arange(1440)
    waves = sum(np.sin(2 * np.pi * (minute / length + dice.random())) for length in (47, 83, 131))
    return plane * np.clip(0.75 + 0.2 * waves, 0.2, 1)


def power(light):
    """W of a PVWatts inverter without losses, cells by Faiman."""
    cell = pvlib.temperature.faiman(light, ambient, wind, u0=25.0, u1=6.84)
    dc = pvlib.pvsystem.pvwatts_dc(light, cell, rated_dc_w, gamma)
    return pvlib.inverter.pvwatts(dc, rated_ac_w / efficiency, efficiency).clip(0, rated_ac_w)


def day_of(day, step, cloudy):
    """The samples of a day by tag: columns value and quality."""
    nodes = irradiance(day, cloudy).round(2).iloc[::step]
    times = pd.date_range(day, periods=1440, freq="min")
    watts = power(nodes.reindex(times).interpolate())
    energy = watts.cumsum().shift(fill_value=0) / 60
    amount = watts.resample(f"{step}min").sum() / 60
    values = {"poa": nodes, "t": nodes * 0 + ambient, "w": nodes * 0 + wind}
    values |= {"a.p": watts[nodes.index], "b.wh": energy[nodes.index], "c.wh": amount}
    return {tag: pd.DataFrame({"value": it, "quality": "good"}) for tag, it in values.items()}


def days_of(step):
    """Every sky and flaw with its day, and the day's samples."""
    counted = 0.0
    cases = [(sky, name) for sky in ("clear", "cloudy") for name in flaws]
    for i, (sky, name) in enumerate(cases):
        day = first_day + pd.Timedelta(days=i)
        samples = day_of(day, step, sky == "cloudy")
        produced = float(samples["c.wh"].value.sum())
        samples["b.wh"]["value"] += counted
        counted += produced
        flaws[name](samples)
        yield day, sky, name, samples


# --- The service.


def site_of(step):
    pv = {
        **{"rated_dc_w": rated_dc_w, "rated_ac_w": rated_ac_w, "gamma": gamma},
        **{"losses": 0, "efficiency": efficiency},
        "temperature": {"model": "faiman", "u0": 25.0, "u1": 6.84},
    }
    inverters = [{"key": key, "type": "inverter", "pv": pv} for key in "ABC"]
    met = {"device": "MET", "component": "met"}
    own = {"capacity": rated_ac_w}
    return {
        "version": 1,
        "organization": {"key": "o", "name": "O"},
        "project": {"key": f"p{step}", "name": f"Each {step} min", "timezone": "UTC"},
        "site": {"key": f"s{step}", "name": "S", "latitude": latitude, "longitude": longitude},
        "devices": [{"key": "MET", "type": "met"}, *inverters],
        "sensors": [
            {"tag": "poa", "measure": "poa_front", **met},
            {"tag": "t", "measure": "ambient_temp", **met},
            {"tag": "w", "measure": "windspeed", **met},
            {"tag": "a.p", "device": "A", "measure": "active_power", **own},
            {"tag": "a.p", "device": "A", "measure": "energy", **own},
            {"tag": "b.wh", "device": "B", "measure": "energy", "accumulation": "counter", **own},
            {
                **{"tag": "c.wh", "device": "C", "measure": "energy", **own},
                **{"accumulation": "interval", "interval_s": step * 60},
            },
        ],
    }


class Service:
    """The product in a directory of its own, until it is closed."""

    def __init__(self, folder):
        main = ["deno", "run", "-A", "--no-check", str(root / "main.ts")]
        flags = ["--data-dir", f"{folder}/data", "--port", "0", "--memory-mb", "1024"]
        self.process = subprocess.Popen(
            [*main, *flags, "serve"], cwd=folder, stderr=subprocess.PIPE, text=True
        )
        said = ""
        while "listening on" not in said:
            line = self.process.stderr.readline()
            assert line, f"the service ended: {said}"
            said += line
        self.address = re.search(r"listening on (http://[^\s\"]+)", said)[1].rstrip("/")
        token = re.search(r"shown only now: (wk_\w+)", said)[1]
        self.headers = {"authorization": f"Bearer {token}"}
        os.set_blocking(self.process.stderr.fileno(), False)

    def ask(self, method, path, **more):
        headers = {**self.headers, **more.pop("headers", {})}
        return requests.request(method, self.address + path, headers=headers, **more)

    def apply(self, site):
        answer = self.ask("PUT", f"/admin/v1/sites/{site['site']['key']}", json=site)
        assert answer.ok, answer.text
        projects = self.ask("GET", "/platform/v1/meta/projects").json()["projects"]
        key = site["project"]["key"]
        return next(it["project_id"] for it in projects if it["key"] == key)

    def send(self, project, samples):
        rows = [
            json.dumps({"tag": tag, "ts": at.isoformat(), "value": value, "quality": quality})
            for tag, table in samples.items()
            for at, value, quality in table.itertuples()
        ]
        answer = self.ask(
            *("POST", f"/ingest/v1/signals?project_id={project}"),
            data="\n".join(rows),
            headers={"content-type": "application/x-ndjson"},
        )
        assert answer.ok and answer.json()["rejected_count"] == 0, answer.text

    def settle(self):
        gauge = re.compile(r"^wattkeeper_roll_backlog_rows (\d+)$", re.MULTILINE)
        while gauge.search(self.ask("GET", "/metrics").text)[1] != "0":
            time.sleep(2)

    def rows(self, project, measure, interval, days, include):
        answer = self.ask(
            *("GET", "/platform/v1/performance-v2"),
            params={
                **{"project_ids": project, "component": "inverter", "component_measure": measure},
                **{"dt_start": str(days[0].date()), "dt_end": str(days[-1].date())},
                **{"time_interval": interval, "group_by": "hierarchy_id", "format": "json"},
                **({"include": "matched"} if include else {}),
            },
        )
        return pd.DataFrame(answer.json()) if answer.ok else answer

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


# --- The judgement.


def kinds():
    """What is read: a measure and a tag, by the name of the column."""
    yield "power", "active_power", "a.p"
    yield "integral", "energy", "a.p"
    yield "counter", "energy", "b.wh"
    yield "interval", "energy", "c.wh"


def text(number):
    return "    -" if pd.isna(number) else f"{number:5.3f}"


def judge(row, column, case, within):
    """What is wrong with the index of a day."""
    index, coverage = row[column], row.get("coverage", 1)
    _, sky, name = case
    if column == "performance_index" and name != "none":
        return []
    crosses_clouds = sky == "cloudy" and name.endswith("removed")
    most = 0.01 if crosses_clouds else within
    is_judged = not (pd.isna(index) and coverage == 0) and not (crosses_clouds and coverage < 0.5)
    wrong = [f"day {text(index)}"] if is_judged and not abs(index - 1) <= most else []
    by_setpoint = row[column.replace("index", "index_setpoint")]
    if not (pd.isna(index) and pd.isna(by_setpoint)) and not abs(by_setpoint - index) < 1e-9:
        wrong.append(f"by setpoint {text(by_setpoint)}")
    return wrong


def report(step, cases, read, column, all_hours):
    """Prints every day of a spacing; gives how many were wrong."""
    failures = 0
    for kind, measure, tag in kinds():
        days, hours = (read(measure, interval) for interval in ("OneDay", "OneHour"))
        days, hours = (it[it.sensor_tag == tag] for it in (days, hours))
        for day, sky, name in cases:
            date = str(day.date())
            own = hours[hours.ts.str.startswith(date)]
            row = days[days.ts.str.startswith(date)].iloc[0]
            within = 0.006 if kind == "integral" else tolerance
            wrong = judge(row, column, (day, sky, name), within)
            failures += bool(wrong)
            setpoint = row.get("performance_index_setpoint_matched", np.nan)
            print(
                f"{step:2} min  {kind:8}  {sky:6}  {name:17}",
                f"plain {text(row.performance_index)}  matched",
                text(row.get("performance_index_matched", np.nan)),
                f"setpoint {text(setpoint)}  coverage {text(row.get('coverage', np.nan))}",
                f" hours {text(own[column].min())} to {text(own[column].max())}",
                f" WRONG: {', '.join(wrong)}" if wrong else "",
            )
            for _, it in own.iterrows() if all_hours else ():
                matched = text(it.get("performance_index_matched", np.nan))
                share = text(it.get("coverage", np.nan))
                print(f"  {it.ts} {text(it.performance_index)} {matched} {share}")
    return failures


def main():
    options = argparse.ArgumentParser()
    options.add_argument("steps", nargs="*", type=int, help="spacings in minutes")
    options.add_argument("--hours", action="store_true", help="print every hour")
    given = options.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        service = Service(folder)
        try:
            for step in given.steps or [1, 5, 15]:
                project = service.apply(site_of(step))
                cases = []
                for day, sky, name, samples in days_of(step):
                    service.send(project, samples)
                    cases.append((day, sky, name))
                service.settle()
                dates = [day for day, _, _ in cases]
                probe = service.rows(project, "energy", "OneDay", dates, True)
                matched = isinstance(probe, pd.DataFrame)
                column = "performance_index_matched" if matched else "performance_index"

                def read(measure, interval):
                    return service.rows(project, measure, interval, dates, matched)

                failures += report(step, cases, read, column, given.hours)
        finally:
            service.close()
    print(f"{failures} days are wrong" if failures else "every index is right")
    raise SystemExit(1 if failures else 0)


main()
