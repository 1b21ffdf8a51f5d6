"""RdTools' AvailabilityAnalysis beside this service, over outages and communication faults.

Run by hand, from the root of the repository:

    python3 -m venv /tmp/rdtools && /tmp/rdtools/bin/pip install rdtools
    /tmp/rdtools/bin/python tests/reference/availability.py [minutes between samples]

Four inverters, a meter and a pyranometer under scattered clouds. On one day something is out (one
inverter, or all) for some hours, and its communication fails for some. RdTools sees 20 days, the
power of each inverter, the meter's power and register, and the expected power; the service sees
the three days around, the power and register of each inverter, the meter, the irradiance, and the
same expected power. The
verdict is on the time of the fault: an outage if more than 5 % of it is lost. They agree if the
verdict is the same, or the service says that it does not know (less than a fifth is known).
"""
import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
from rdtools.availability import AvailabilityAnalysis

warnings.filterwarnings("ignore")
SPACING = int(sys.argv[1]) if len(sys.argv) > 1 else 15
NAMES = ["A", "B", "C", "D"]
DAY = pd.Timestamp("2026-06-15", tz="UTC")
HOURS = [0, 1, 3, 6, 24]
LEAST_LOST = 0.05
LEAST_KNOWN = 0.2


def window(hours):
    """A fault of some hours begins at ten; one of a day at midnight."""
    start = DAY if hours == 24 else DAY + pd.Timedelta(hours=10)
    return start, start + pd.Timedelta(hours=hours)


def weather():
    """Irradiance by minute: half a sine by day, with clouds of an hour or so."""
    index = pd.date_range(DAY - pd.Timedelta(days=17), DAY + pd.Timedelta(days=3), freq="min")
    hour = index.hour + index.minute / 60
    clear = np.where((hour > 5) & (hour < 19.5), 900 * np.sin(np.pi * (hour - 5) / 14.5), 0)
    random = np.random.default_rng(7)
    clouds = random.normal(0, 1, len(index) // 60 + 2).repeat(60)[: len(index)]
    smooth = pd.Series(clouds, index).rolling(90, center=True, min_periods=1).mean()
    return pd.Series(clear * (0.8 + 0.15 * np.tanh(smooth.to_numpy())), index)


def plant(poa, scope, out_hours, mute_hours):
    """What is made and what is read, by minute."""
    random = np.random.default_rng(3)
    made = pd.DataFrame({n: poa * 900 * random.uniform(0.97, 1.0) for n in NAMES})
    faulty = NAMES[:1] if scope == "one" else NAMES
    start, end = window(out_hours)
    made.loc[(made.index >= start) & (made.index < end), faulty] = 0
    register = made.cumsum().shift(1, fill_value=0) / 60 + 5e6
    start, end = window(mute_hours)
    mute = (made.index >= start) & (made.index < end)
    power = made.copy()
    meter = pd.DataFrame({"power": made.sum(axis=1), "register": register.sum(axis=1)})
    power.loc[mute, faulty] = np.nan
    register.loc[mute, faulty] = np.nan
    if scope == "all":
        meter.loc[mute] = np.nan
    return faulty, power, register, meter


def by_rdtools(poa, power, meter, hours):
    """The share of the expected energy that RdTools says was lost in the time of the fault."""
    def resample(it):
        return it.resample(f"{SPACING}min", label="right", closed="left")
    analysis = AvailabilityAnalysis(
        resample(meter["power"]).mean().fillna(0),
        resample(power).mean(),
        meter["register"].ffill().shift(-1).ffill().resample(
            f"{SPACING}min", label="right", closed="left").last(),
        resample(poa).mean() * 900 * len(NAMES),
    )
    analysis.run(rollup_period="D")
    start, end = window(hours)
    own = (analysis.loss_total.index > start) & (analysis.loss_total.index <= end)
    expected = (resample(poa).mean() * 900)[own].sum()
    return analysis.loss_total[own].sum() / expected


def scenario(name, poa, faulty, power, register, meter, hours):
    """What the service is asked."""
    sent = (poa.index >= DAY - pd.Timedelta(days=1)) & (poa.index < DAY + pd.Timedelta(days=2))
    sent &= (poa.index.hour * 60 + poa.index.minute) % SPACING == 0
    series = {"poa": poa, "m.p": meter["power"], "m.e": meter["register"]}
    for n in NAMES:
        series |= {f"{n}.p": power[n], f"{n}.e": register[n]}
    rows = [
        json.dumps({"tag": tag, "ts": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "value": value})
        for tag, values in series.items()
        for at, value in values[sent].dropna().items()
    ]
    counter = {"measure": "energy", "accumulation": "counter"}
    start, end = window(hours)
    return {
        "name": name,
        "inverters": faulty,
        "from": start.isoformat(),
        "to": end.isoformat(),
        "now": (DAY + pd.Timedelta(days=2, hours=12)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "samples": "\n".join(rows),
        "expected": "\n".join(
            json.dumps({"tag": f"{n}.p", "ts": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "value": value})
            for at, value in (poa[sent] * 900).items() for n in NAMES
        ),
        "site": {
            "version": 1,
            "organization": {"key": "o", "name": "O"},
            "project": {"key": "p", "name": "P", "timezone": "UTC"},
            "site": {"key": "s", "name": "S", "latitude": 40, "longitude": -3},
            "devices": [{"key": "met", "type": "met"}, {"key": "m", "type": "meter"}]
            + [{"key": n, "type": "inverter"} for n in NAMES],
            "sensors": [
                {"tag": "poa", "device": "met", "measure": "poa_front"},
                {"tag": "m.p", "device": "m", "measure": "active_power"},
                {"tag": "m.e", "device": "m", **counter},
            ] + [
                sensor for n in NAMES for sensor in (
                    {"tag": f"{n}.p", "device": n, "measure": "active_power", "capacity": 1e6},
                    {"tag": f"{n}.e", "device": n, "capacity": 1e6, **counter},
                )
            ],
        },
    }


def main():
    poa = weather()
    asked, reference = [], {}
    for scope in ["one", "all"]:
        for out_hours in HOURS:
            for mute_hours in HOURS:
                hours = max(out_hours, mute_hours)
                if hours == 0:
                    continue
                name = f"{scope} {out_hours} {mute_hours}"
                faulty, power, register, meter = plant(poa, scope, out_hours, mute_hours)
                reference[name] = by_rdtools(poa, power, meter, hours) / len(faulty)
                asked.append(scenario(name, poa, faulty, power, register, meter, hours))
    run = subprocess.run(
        ["deno", "run", "-A", "--no-check", "tests/reference/availability.ts"],
        input=json.dumps(asked), capture_output=True, text=True, check=True,
    )
    found = json.loads(run.stdout)
    print("scope  out h  mute h  RdTools lost  service lost  known  agree")
    wrong = 0
    for name, lost in reference.items():
        scope, out_hours, mute_hours = name.split()
        own, known = found[name]["lost"], found[name]["known"]
        is_null = known < LEAST_KNOWN
        agrees = is_null or (own > LEAST_LOST) == (lost > LEAST_LOST)
        wrong += not agrees
        shown = "   null" if is_null else f"{own:7.3f}"
        print(f"{scope:5} {out_hours:>6} {mute_hours:>7} {lost:13.3f} {shown:>13} {known:6.2f}  "
              f"{'yes' if agrees else 'NO'}")
    print(f"{len(reference) - wrong} of {len(reference)} agree at {SPACING} minutes")


main()
