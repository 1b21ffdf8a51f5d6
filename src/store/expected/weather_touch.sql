-- Touches quarter-hours before the edges whose irradiance follows from newer samples: a line leads
-- to a fresh one (stored after $stored_us, or of a minute from $since_minute on); fresh ones make
-- it flat (see light.ts); it was flat as stored, and is no more.
INSERT INTO roll_touch
WITH sampled AS MATERIALIZED (
  SELECT e.edge_no, s.minute, avg(s.number) AS mean,
    max(s.received_at) > $stored_us::BIGINT OR s.minute >= $since_minute::INTEGER AS fresh
  FROM (
    SELECT tag_no, (ts // 60000000)::INTEGER AS minute, received_at,
      CASE
        WHEN quality >= 2 THEN NULL
        WHEN isfinite(value) THEN value
        ELSE value_int::DOUBLE
      END AS number
    FROM sample
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
  ) AS s
  JOIN roll_edge AS e
    ON e.tag_no = s.tag_no
      AND s.minute BETWEEN e.minute - 60 - e.carry AND e.minute + 30 + e.carry
  GROUP BY e.edge_no, s.minute
),
known AS (
  SELECT 'now' AS state, edge_no, minute, mean, fresh
  FROM sampled
  UNION ALL
  SELECT 'before', edge_no, s.minute, s.mean, false
  FROM sampled AS s
  JOIN roll_edge AS e USING (edge_no)
  WHERE s.minute < e.minute
  UNION ALL
  SELECT 'stored', e.edge_no, m.minute, coalesce(m.value, m.value_int), false
  FROM minute AS m
  JOIN roll_edge AS e
    ON e.tag_no = m.tag_no
      AND m.minute BETWEEN e.minute - 60 - e.carry AND e.minute + 30 + e.carry
  WHERE NOT m.carried
    AND m.minute >= $from_us::BIGINT // 60000000 AND m.minute < $to_us::BIGINT // 60000000
),
watched AS (
  SELECT k.*, e.minute AS edge, e.carry, k.mean * e.scale + e."offset" > 5 AS shines,
    lag(k.minute) OVER run AS from_minute, lead(k.minute) OVER run AS to_minute,
    lead(fresh) OVER run AS to_fresh, bool_or(fresh) OVER soon AS fresh_soon,
    light_line(k.mean, k.minute, k.state, k.edge_no) AS line
  FROM known AS k
  JOIN roll_edge AS e USING (edge_no)
  WINDOW run AS (PARTITION BY state, edge_no ORDER BY k.minute),
    soon AS (
      PARTITION BY state, edge_no ORDER BY k.minute RANGE BETWEEN CURRENT ROW AND 30 FOLLOWING
    )
),
judged AS (
  SELECT *, shines AND bool_or(line) OVER (
      PARTITION BY state, edge_no ORDER BY minute RANGE BETWEEN CURRENT ROW AND 30 FOLLOWING
    ) AS flat
  FROM watched
),
turned AS (
  SELECT edge_no, minute, any_value(edge) AS edge,
    min(if(minute - from_minute <= carry, from_minute + 1, minute)) AS turned_from
  FROM judged
  WHERE minute < edge
  GROUP BY edge_no, minute
  HAVING bool_or(flat AND fresh_soon AND state = 'now') > bool_or(flat AND state = 'before')
    OR bool_or(flat AND state = 'stored') > bool_or(flat AND state = 'now')
),
reached AS (
  SELECT edge_no, edge, turned_from AS from_minute
  FROM turned
  UNION ALL
  SELECT edge_no, edge, minute + 1
  FROM judged
  WHERE state = 'now' AND to_fresh AND minute < edge AND to_minute >= edge
    AND to_minute - minute BETWEEN 2 AND carry
)
SELECT DISTINCT e.tag_no, unnest(range(r.from_minute // 15, r.edge // 15))::INTEGER, false, 15
FROM reached AS r
JOIN roll_edge AS e USING (edge_no);
