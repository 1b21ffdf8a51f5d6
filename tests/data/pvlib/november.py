"""A November at 68 degrees north by pvlib: the light on a plane as a sensor tells it, and power.

Run it to write november.csv.gz: python3 november.py (pvlib 0.16.1)
"""
import gzip

import numpy as np
import pandas as pd
import pvlib

PLACE = pvlib.location.Location(68.0, 20.0, "UTC", 400)
TILT, AZIMUTH = 40, 180
RATED_DC_W, RATED_AC_W, GAMMA, LOSSES, EFFICIENCY = 1200.0, 1000.0, -0.004, 0.1, 0.96
AIR, WIND = -8.0, 2.0

times = pd.date_range("2026-11-01", "2026-12-01", freq="1min", tz="UTC", inclusive="left")
sun = PLACE.get_solarposition(times + pd.Timedelta("30s"))
sun.index = times
clear = PLACE.get_clearsky(times, solar_position=sun, model="ineichen", linke_turbidity=2.5)
# Each day has a sky of its own, from overcast to clear.
sky = np.random.default_rng(68).uniform(0.1, 1.0, 30)[times.day - 1]
ghi = clear["ghi"].to_numpy() * sky
dni = clear["dni"].to_numpy() * np.where(sky > 0.9, sky, np.maximum(0, (sky - 0.3) / 0.7))
zenith, azimuth = sun["apparent_zenith"].to_numpy(), sun["azimuth"].to_numpy()
dhi = np.maximum(ghi - dni * np.maximum(np.cos(np.radians(zenith)), 0), 0)
poa = np.maximum(
    np.nan_to_num(
        pvlib.irradiance.get_total_irradiance(
            TILT, AZIMUTH, zenith, azimuth, dni, ghi, dhi, model="isotropic"
        )["poa_global"]
    ),
    0,
)
cell = pvlib.temperature.faiman(poa, AIR, WIND)
dc = pvlib.pvsystem.pvwatts_dc(poa, cell, RATED_DC_W, GAMMA) * (1 - LOSSES)
ac = np.maximum(pvlib.inverter.pvwatts(dc, RATED_AC_W / EFFICIENCY, eta_inv_nom=EFFICIENCY), 0)

with gzip.GzipFile("november.csv.gz", "wb", mtime=0) as file:
    file.write(b"minute,poa,ac_w\n")
    minutes = times.as_unit("s").asi8 // 60
    for i in np.flatnonzero(sun["apparent_elevation"].to_numpy() > -3):
        # The sensor tells whole W/m2.
        file.write(f"{minutes[i]},{round(poa[i])},{ac[i]:.2f}\n".encode())
