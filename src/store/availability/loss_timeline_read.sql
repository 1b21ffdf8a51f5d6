-- Where the energy of some inverters went over a range of days, with what tells of it.
SELECT
  wanted.hierarchy_id,
  wanted.device_id,
  wanted.device_name,
  lost.from_us,
  lost.to_us,
  lost.part,
  lost.energy_wh,
  lost.evidence,
  lost.detail
FROM inverter_loss AS lost
JOIN (
  SELECT
    unnest($sensors::INTEGER[]) AS sensor_no,
    unnest($hierarchy_ids::VARCHAR[]) AS hierarchy_id,
    unnest($device_ids::VARCHAR[]) AS device_id,
    unnest($device_names::VARCHAR[]) AS device_name
) AS wanted ON lost.sensor_no = wanted.sensor_no
WHERE
  lost.day >= $from_day::INTEGER
  AND lost.day < $to_day::INTEGER
  AND ($parts::VARCHAR[] = [] OR list_contains($parts::VARCHAR[], lost.part))
ORDER BY wanted.hierarchy_id, lost.from_us, lost.part, lost.evidence, lost.detail
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
