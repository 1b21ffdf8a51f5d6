-- What stands around some instants on some lines: the last usable sample at or before each, the
-- first at or behind it, and the first behind the former that is not usable.
WITH line AS (
  SELECT unnest(tags) AS tag_no, generate_subscripts(tags, 1)::INTEGER - 1 AS line
  FROM (SELECT $lines::INTEGER[] AS tags)
),
entry AS MATERIALIZED (
  SELECT
    tag_no, ts, received_at, value_int, value_str, quality, status_code,
    if(isfinite(value), value, NULL) AS number,
    coalesce(quality < 2, true)
      AND (number IS NOT NULL OR value_int IS NOT NULL OR value_str IS NOT NULL) AS usable
  FROM sample
  SEMI JOIN line USING (tag_no)
  WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
),
wanted AS (
  SELECT line.line, line.tag_no, instant.ts
  FROM line
  CROSS JOIN (SELECT unnest($instants::BIGINT[]) AS ts) AS instant
)
SELECT
  wanted.line, wanted.ts, before.ts AS before_ts, before.received_at AS before_received,
  before.number AS before_value, before.value_int AS before_int, before.value_str AS before_str,
  before.quality::INTEGER AS before_quality, before.status_code AS before_status,
  after.ts AS after_ts, after.received_at AS after_received, after.number AS after_value,
  after.quality::INTEGER AS after_quality, bad.ts AS bad_ts
FROM wanted
ASOF LEFT JOIN (FROM entry WHERE usable) AS before
  ON wanted.tag_no = before.tag_no AND wanted.ts >= before.ts
ASOF LEFT JOIN (FROM entry WHERE usable) AS after
  ON wanted.tag_no = after.tag_no AND wanted.ts <= after.ts
ASOF LEFT JOIN (FROM entry WHERE NOT usable) AS bad
  ON wanted.tag_no = bad.tag_no AND before.ts < bad.ts
ORDER BY wanted.ts, wanted.line
