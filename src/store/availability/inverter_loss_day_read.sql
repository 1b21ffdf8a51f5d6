-- Energies of some inverters' days, null without both an expected and a produced one, and 1 for a
-- day that needs no further account.
SELECT
  inverter_day.day,
  wanted.group_no,
  CASE WHEN accounted THEN expected_wh END AS expected_energy,
  CASE WHEN accounted THEN produced_wh END AS produced_energy,
  CASE WHEN accounted THEN coalesce(unavailable_wh, 0) END AS unavailability_loss,
  CASE WHEN accounted THEN coalesce(curtailed_wh, 0) END AS curtailment_loss,
  CASE WHEN accounted THEN coalesce(clipped_wh, 0) END AS clipping_loss,
  CASE WHEN accounted THEN coalesce(grid_wh, 0) END AS grid_loss,
  CASE WHEN accounted THEN coalesce(dc_wh, 0) END AS dc_loss,
  CASE WHEN accounted THEN coalesce(derate_wh, 0) END AS derate_loss,
  CASE WHEN accounted THEN coalesce(snow_wh, 0) END AS snow_loss,
  CASE WHEN accounted THEN coalesce(soiling_wh, 0) END AS soiling_loss,
  unmeasured_wh AS unmeasured_energy,
  (accounted OR daylight_s = 0)::INTEGER::DOUBLE AS settled_days
FROM (
  SELECT
    day,
    sensor_no,
    daylight_s,
    expected_wh,
    produced_wh,
    unavailable_wh,
    curtailed_wh,
    clipped_wh,
    grid_wh,
    dc_wh,
    derate_wh,
    snow_wh,
    soiling_wh,
    unmeasured_wh,
    expected_wh IS NOT NULL AND produced_wh IS NOT NULL AS accounted
  FROM inverter_day
) AS inverter_day
JOIN (
  SELECT unnest($sensors::INTEGER[]) AS sensor_no, unnest($group_nos::INTEGER[]) AS group_no
) AS wanted ON inverter_day.sensor_no = wanted.sensor_no
WHERE day >= $from_day::INTEGER AND day < $to_day::INTEGER
