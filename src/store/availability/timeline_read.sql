-- The states of some inverters over a range, cut to it, each with the override that spoke for it.
SELECT
  wanted.hierarchy_id,
  wanted.device_id,
  wanted.device_name,
  greatest(inverter_state.from_us, $from_us::BIGINT) AS from_us,
  least(inverter_state.to_us, $to_us::BIGINT) AS to_us,
  inverter_state.state,
  inverter_state.evidence,
  inverter_state.detail,
  inverter_state.unavailable,
  spoken.id AS override_id,
  spoken.reason AS override_reason,
  spoken.author AS override_author
FROM inverter_state
JOIN (
  SELECT
    unnest($sensors::INTEGER[]) AS sensor_no,
    unnest($hierarchy_ids::VARCHAR[]) AS hierarchy_id,
    unnest($device_ids::VARCHAR[]) AS device_id,
    unnest($device_names::VARCHAR[]) AS device_name
) AS wanted ON inverter_state.sensor_no = wanted.sensor_no
LEFT JOIN (
  SELECT id, unnest(hierarchy_ids) AS hierarchy_id, from_us, to_us, reason, author
  FROM state_override
  WHERE project_no = $project_no::INTEGER AND state IS NOT NULL
) AS spoken
  ON spoken.hierarchy_id = wanted.hierarchy_id
  AND inverter_state.evidence = 'override'
  AND spoken.from_us <= inverter_state.from_us
  AND inverter_state.from_us < spoken.to_us
WHERE
  inverter_state.day >= $from_day::INTEGER
  AND inverter_state.day < $to_day::INTEGER
  AND inverter_state.from_us < $to_us::BIGINT
  AND inverter_state.to_us > $from_us::BIGINT
  AND ($states::VARCHAR[] = [] OR list_contains($states::VARCHAR[], inverter_state.state))
ORDER BY wanted.hierarchy_id, inverter_state.from_us
LIMIT $limit::BIGINT OFFSET $offset::BIGINT
