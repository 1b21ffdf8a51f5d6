# Makes year.csv.gz: a year of hours at the places of sites.json, weather and what pvlib expects.
#
#   python3 -m venv /tmp/pvlib && /tmp/pvlib/bin/pip install pvlib==0.16.1
#   /tmp/pvlib/bin/python tests/data/pvlib/year.py
#
# The weather is made up, always the same: a clear sky (Ineichen, Linke turbidity 3) dimmed by
# clouds that drift from hour to hour, split by Erbs; air that follows season and hour; gusts. It
# is rounded first, so that reader and pvlib work from the same numbers. Only hours with the sun
# up are kept. Instants are the middles of the hours; the sun is SPA's, its zenith the apparent
# one throughout, as in pvlib's ModelChain.
import gzip
import json
import pathlib

import numpy as np
import pandas as pd
import pvlib

here = pathlib.Path(__file__).parent
sites = json.loads((here / "sites.json").read_text())
array = json.loads((here / "array.json").read_text())
times = pd.date_range("2025-01-01T00:30", "2025-12-31T23:30", freq="h", tz="UTC")


def drift(dice, keep):
    """Noise of mean 0 and spread 1, of which a part `keep` lasts to the next hour."""
    steps = dice.standard_normal(len(times)) * np.sqrt(1 - keep**2)
    values = np.zeros(len(times))
    for i in range(1, len(times)):
        values[i] = keep * values[i - 1] + steps[i]
    return values


def weather(site, sun, dice):
    pressure = pvlib.atmosphere.alt2pres(site["altitude_m"])
    mass = pvlib.atmosphere.get_relative_airmass(sun.apparent_zenith)
    clear = pvlib.clearsky.ineichen(
        sun.apparent_zenith,
        pvlib.atmosphere.get_absolute_airmass(mass, pressure),
        linke_turbidity=3,
        altitude=site["altitude_m"],
        dni_extra=pvlib.irradiance.get_extra_radiation(times),
    )
    clearness = np.clip(1.1 - 0.6 * np.abs(drift(dice, 0.9)), 0.12, 1)
    ghi = (clear.ghi * clearness).fillna(0)
    split = pvlib.irradiance.erbs(ghi, sun.zenith, times)
    summer = np.sign(site["latitude"]) * -np.cos(2 * np.pi * (times.day_of_year - 20) / 365)
    solar_hour = times.hour + site["longitude"] / 15
    afternoon = -np.cos(2 * np.pi * (solar_hour - 3) / 24)
    ambient = site["mean_ambient"] + 10 * summer + 5 * afternoon + 3 * drift(dice, 0.98)
    table = pd.DataFrame(index=times)
    table["ghi"] = ghi.round(1)
    table["dni"] = split["dni"].fillna(0).round(1)
    table["dhi"] = split["dhi"].fillna(0).round(1)
    table["ambient"] = np.round(ambient, 1)
    table["wind"] = np.round(np.minimum(3.5 * np.exp(0.6 * drift(dice, 0.9)), 25), 1)
    return table


def planes(site, sun):
    """Tilt and azimuth of the fixed plane and of the tracker's."""
    mount = site["tracker"]
    turned = pvlib.tracking.singleaxis(
        sun.apparent_zenith,
        sun.azimuth,
        axis_tilt=mount["axis_tilt"],
        axis_azimuth=mount["axis_azimuth"],
        max_angle=mount["max_angle"],
        backtrack=mount["backtrack"],
        gcr=mount["ground_cover"],
    )
    return {
        "fixed": (site["fixed"]["tilt"], site["fixed"]["azimuth"]),
        "tracker": (turned.surface_tilt, turned.surface_azimuth),
    }


def inverter(poa, cell):
    dc = pvlib.pvsystem.pvwatts_dc(poa, cell, array["rated_dc_w"], array["gamma"])
    dc *= 1 - array["losses"]
    efficiency = array["efficiency"]
    limit = array["rated_ac_w"] / efficiency
    return dc, pvlib.inverter.pvwatts(dc, limit, eta_inv_nom=efficiency)


def expect(site, dice):
    sun = pvlib.solarposition.get_solarposition(
        times, site["latitude"], site["longitude"], method="nrel_numpy"
    )
    table = weather(site, sun, dice)
    table["zenith"] = sun.apparent_zenith
    table["azimuth"] = sun.azimuth
    table["extra"] = pvlib.irradiance.get_extra_radiation(times)
    for name, (tilt, azimuth) in planes(site, sun).items():
        for sky, model in (("isotropic", "isotropic"), ("hay_davies", "haydavies")):
            table[f"{name}_{sky}"] = pvlib.irradiance.get_total_irradiance(
                tilt,
                azimuth,
                sun.apparent_zenith,
                sun.azimuth,
                dni=table.dni,
                ghi=table.ghi,
                dhi=table.dhi,
                dni_extra=table.extra,
                albedo=site["albedo"],
                model=model,
            ).poa_global
    air = (table.fixed_hay_davies, table.ambient, table.wind)
    faiman, sapm, pvsyst = array["faiman"], array["sapm"], array["pvsyst"]
    table["faiman"] = pvlib.temperature.faiman(*air, u0=faiman["u0"], u1=faiman["u1"])
    table["sapm"] = pvlib.temperature.sapm_cell(*air, sapm["a"], sapm["b"], sapm["delta_t"])
    table["pvsyst"] = pvlib.temperature.pvsyst_cell(
        *air,
        u_c=pvsyst["u_c"],
        u_v=pvsyst["u_v"],
        module_efficiency=pvsyst["module_efficiency"],
        alpha_absorption=pvsyst["absorption"],
    )
    table["dc"], table["fixed_ac"] = inverter(table.fixed_hay_davies, table.faiman)
    warm = pvlib.temperature.faiman(
        table.tracker_hay_davies, table.ambient, table.wind, u0=faiman["u0"], u1=faiman["u1"]
    )
    _, table["tracker_ac"] = inverter(table.tracker_hay_davies, warm)
    return table[sun.apparent_zenith < 90]


tables = []
for number, site in enumerate(sites):
    table = expect(site, np.random.default_rng(number))
    table = table.round(2).assign(zenith=table.zenith.round(4), azimuth=table.azimuth.round(4))
    table.insert(0, "site", number)
    tables.append(table)
year = pd.concat(tables)
year.insert(1, "minute", year.index.as_unit("s").asi8 // 60)
text = year.to_csv(index=False).encode()
(here / "year.csv.gz").write_bytes(gzip.compress(text, 9, mtime=0))
