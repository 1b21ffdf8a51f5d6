-- Capacity-hours of some inverters' days: those with a basis, those that were lost, and all.
SELECT
  inverter_day.day,
  wanted.group_no,
  wanted.capacity_kw * inverter_day.basis_s / 3600 AS capacity_hours,
  wanted.capacity_kw * inverter_day.unavailable_s / 3600 AS unavailable_capacity_hours,
  wanted.capacity_kw * inverter_day.daylight_s / 3600 AS daylight_capacity_hours
FROM inverter_day
JOIN (
  SELECT
    unnest($sensors::INTEGER[]) AS sensor_no,
    unnest($group_nos::INTEGER[]) AS group_no,
    unnest($capacities_kw::DOUBLE[]) AS capacity_kw
) AS wanted ON inverter_day.sensor_no = wanted.sensor_no
WHERE
  inverter_day.day >= $from_day::INTEGER
  AND inverter_day.day < $to_day::INTEGER
