-- Whether local days of a project have measured values, and whether states of its inverters on any
-- of them must be computed again.
SELECT
  EXISTS (
    SELECT 1
    FROM daily
    JOIN sensor USING (sensor_no)
    WHERE
      sensor.project_no = $project_no::INTEGER
      AND daily.day >= $from_day::INTEGER
      AND daily.day < $to_day::INTEGER
      AND daily.n > 0
  ) AS has_data,
  EXISTS (
    SELECT 1
    FROM inverter_stale
    JOIN site USING (site_no)
    WHERE
      site.project_no = $project_no::INTEGER
      AND inverter_stale.day >= $from_day::INTEGER
      AND inverter_stale.day < $to_day::INTEGER
  ) AS is_stale
