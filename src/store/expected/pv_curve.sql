-- AC power before clipping, W, by a curve of [load, efficiency] points with rising loads.
-- Straight between two points, flat outside; load = pdc / (rated_ac_w / efficiency).
CREATE OR REPLACE TEMP MACRO pv_curve(pdc, rated_ac_w, efficiency, curve) AS
  pv_positive(pdc) * pv_between(pdc * efficiency / rated_ac_w, curve);
