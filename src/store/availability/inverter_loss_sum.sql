-- Energies of some inverters' days by bucket and group, of days with both an expected and a
-- produced one, and how many days need no further account; unordered, for the caller scatters them.
SELECT
  days.bucket,
  wanted.group_no,
  sum(expected_wh) FILTER (accounted) AS expected_energy,
  sum(produced_wh) FILTER (accounted) AS produced_energy,
  sum(coalesce(unavailable_wh, 0)) FILTER (accounted) AS unavailability_loss,
  sum(coalesce(curtailed_wh, 0)) FILTER (accounted) AS curtailment_loss,
  sum(coalesce(clipped_wh, 0)) FILTER (accounted) AS clipping_loss,
  sum(coalesce(grid_wh, 0)) FILTER (accounted) AS grid_loss,
  sum(coalesce(dc_wh, 0)) FILTER (accounted) AS dc_loss,
  sum(coalesce(derate_wh, 0)) FILTER (accounted) AS derate_loss,
  sum(coalesce(snow_wh, 0)) FILTER (accounted) AS snow_loss,
  sum(coalesce(soiling_wh, 0)) FILTER (accounted) AS soiling_loss,
  sum(unmeasured_wh) AS unmeasured_energy,
  count(*) FILTER (accounted OR daylight_s = 0)::DOUBLE AS settled_days
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
JOIN (
  SELECT unnest(range(from_day, to_day))::INTEGER AS day, unnest(buckets) AS bucket
  FROM (
    SELECT
      $from_day::INTEGER AS from_day, $to_day::INTEGER AS to_day, $buckets::INTEGER[] AS buckets
  )
) AS days ON inverter_day.day = days.day
WHERE
  inverter_day.day >= $from_day::INTEGER
  AND inverter_day.day < $to_day::INTEGER
GROUP BY ALL
