-- AC power before clipping, W, by load = pdc / (rated_ac_w / efficiency). Dobos 2014, as pv_dc.
CREATE OR REPLACE TEMP MACRO pv_inverter(pdc, rated_ac_w, efficiency) AS
  pv_positive(
    efficiency / 0.9637 * (
      (0.9858 - 0.0162 * pdc * efficiency / rated_ac_w) * pdc - 0.0059 * rated_ac_w / efficiency
    )
  );
