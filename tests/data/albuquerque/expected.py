# Works out what the service must answer for this day, with pandas and nothing of the service.
# Run: python3 expected.py > expected.json
import json
import pathlib

import pandas as pd

here = pathlib.Path(__file__).parent
gap = pd.Timedelta(minutes=15)


def load(name):
    table = pd.read_csv(here / name, skiprows=[0, 2, 3], na_values=["NAN", "-999"])
    table["utc"] = pd.to_datetime(table.pop("TIMESTAMP"), format="%m/%d/%Y %H:%M") + pd.Timedelta(
        hours=7
    )
    table = table.drop(columns="RECORD").set_index("utc")
    return ended(table, pd.read_csv(here / name, skiprows=1, nrows=2).iloc[1])


def ended(table, processing):
    """Loggers write the end of a minute, but for samples (Smp): each value at its minute's start."""
    samples = [name for name in table if processing[name] == "Smp"]
    minutes = table.drop(columns=samples)
    minutes.index = minutes.index - pd.Timedelta(minutes=1)
    return minutes.join(table[samples], how="outer")[list(table)]


def day_of(values):
    """What of it lies in the local day."""
    return values.loc["2015-11-11 07:00":"2015-11-12 06:59"]


def energy(power):
    """Trapezoids between neighbours at most 15 minutes apart, in unit x hours."""
    power = day_of(power).dropna()
    step = power.index.to_series().diff()
    area = (power + power.shift()) / 2 * (step / pd.Timedelta(hours=1))
    return float(area[step <= gap].sum())


def hourly(values):
    local = day_of(values).copy()
    local.index = local.index - pd.Timedelta(hours=7)
    means = local.resample("1h").mean()
    return {str(at): value for at, value in means.items()}


def expected_power():
    """PVWatts AC power of one string of 12 modules, W; its inverter's nominal efficiency is 0.96."""
    poa = array["POAIrrad1_Avg"].where(lambda it: it >= -20).clip(lower=0)
    cell = array[[f"ModTemp{i}_Avg" for i in range(1, 17)]].median(axis=1)
    dc = poa / 1000 * 2872.87 * (1 - 0.004003 * (cell - 25))
    load = dc / (3000 / 0.96)
    efficiency = 0.96 / 0.9637 * (0.9858 - 0.0162 * load - 0.0059 / load.where(load > 0))
    return (dc * efficiency).fillna(0).clip(0, 3000)


array = load("Baseline6kW_2015_11_11.dat")
met = load("MET_2015_11_11.dat")
both = {**{name: array[name] for name in array}, **{name: met[name] for name in met}}
power = array["Sys1Wac_Avg"] + array["Sys2Wac_Avg"]

print(
    json.dumps(
        {
            "minutes": {name: int(values.count()) for name, values in both.items()},
            "first": str(array["Sys1Wac_Avg"].dropna().index.min()),
            "last": str(array["Sys1Wac_Avg"].dropna().index.max()),
            "raw_rows_per_minute": sum(
                1 for values in both.values() if pd.notna(values.loc["2015-11-11 19:00"])
            ),
            "energy_wh": {
                "inverter1": energy(array["Sys1Wac_Avg"]),
                "inverter2": energy(array["Sys2Wac_Avg"]),
            },
            "insolation_wh_m2": energy(array["POAIrrad1_Avg"]),
            "rain_mm": float(day_of(met["Rain_mm_Tot"]).sum()),
            "hourly": {
                "active_power": hourly(power),
                "dc_voltage": hourly((array["Sys1Vdc_Avg"] + array["Sys2Vdc_Avg"]) / 2),
                "poa_front": hourly(array["POAIrrad1_Avg"]),
                "windspeed": hourly(met["WS_ms_Mean"]),
                "module_temp_back": hourly(
                    array[[f"ModTemp{i}_Avg" for i in range(1, 17)]].mean(axis=1)
                ),
            },
            "power": {
                "expected": hourly(expected_power()),
                "Sys1Wac_Avg": hourly(array["Sys1Wac_Avg"]),
                "Sys2Wac_Avg": hourly(array["Sys2Wac_Avg"]),
            },
            "noon": {
                name: float(array.loc["2015-11-11 19:00", name])
                for name in ["Sys1Wac_Avg", "Sys2Wac_Avg", "POAIrrad1_Avg"]
            },
        },
        indent=2,
    )
)
