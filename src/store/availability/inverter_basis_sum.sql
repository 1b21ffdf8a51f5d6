-- Capacity-hours of some inverters' days by bucket and group, those with a basis, those that
-- were lost, and all; unordered, for the caller scatters them.
SELECT
  days.bucket,
  wanted.group_no,
  sum(wanted.capacity_kw * inverter_day.basis_s / 3600) AS capacity_hours,
  sum(wanted.capacity_kw * inverter_day.unavailable_s / 3600) AS unavailable_capacity_hours,
  sum(wanted.capacity_kw * inverter_day.daylight_s / 3600) AS daylight_capacity_hours
FROM inverter_day
JOIN (
  SELECT
    unnest($sensors::INTEGER[]) AS sensor_no,
    unnest($group_nos::INTEGER[]) AS group_no,
    unnest($capacities_kw::DOUBLE[]) AS capacity_kw
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
