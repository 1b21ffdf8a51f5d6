-- Of some tags, the times between two values within a span that are longer than the tag's own.
WITH watched AS (
  SELECT
    unnest(string_split($tag_nos::VARCHAR, ' ')::INTEGER[]) AS tag_no,
    unnest(string_split($ages::VARCHAR, ' ')::BIGINT[]) AS age_us
),
valued AS (
  SELECT tag_no, ts, lag(ts) OVER (PARTITION BY tag_no ORDER BY ts) AS before_us
  FROM sample
  SEMI JOIN watched USING (tag_no)
  WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT AND quality IS DISTINCT FROM 2
)
SELECT valued.tag_no, valued.before_us, valued.ts AS after_us
FROM valued
JOIN watched USING (tag_no)
WHERE valued.ts - valued.before_us > watched.age_us
ORDER BY valued.tag_no, valued.ts
