-- Moves overrides to other sensors: to those of $after from those of $before.
UPDATE state_override
SET hierarchy_ids = moved.hierarchy_ids
FROM (
  SELECT spoken.id, list(coalesce(m.after, spoken.hierarchy_id) ORDER BY n) AS hierarchy_ids
  FROM (
    SELECT id, unnest(hierarchy_ids) AS hierarchy_id, generate_subscripts(hierarchy_ids, 1) AS n
    FROM state_override
    WHERE list_has_any(hierarchy_ids, $before::VARCHAR[])
  ) AS spoken
  LEFT JOIN (
    SELECT unnest($before::VARCHAR[]) AS before, unnest($after::VARCHAR[]) AS after
  ) AS m ON m.before = spoken.hierarchy_id
  GROUP BY spoken.id
) AS moved
WHERE moved.id = state_override.id
