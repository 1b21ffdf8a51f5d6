-- Samples of tags, each within a span of its own that lies in the whole one, by tag and time.
WITH span AS (
  SELECT
    unnest(string_split($tag_nos::VARCHAR, ' ')::INTEGER[]) AS tag_no,
    unnest(string_split($froms::VARCHAR, ' ')::BIGINT[]) AS from_us,
    unnest(string_split($tos::VARCHAR, ' ')::BIGINT[]) AS to_us
)
SELECT
  sample.tag_no,
  sample.ts,
  CASE WHEN quality = 2 THEN NULL ELSE value END AS value,
  CASE WHEN quality = 2 THEN NULL ELSE value_int END AS value_int,
  (quality IS DISTINCT FROM 2 AND value_str IS NOT NULL)::INTEGER AS has_text
FROM sample
JOIN span USING (tag_no)
WHERE sample.ts >= $from_us::BIGINT AND sample.ts < $to_us::BIGINT
  AND sample.ts >= span.from_us AND sample.ts < span.to_us
ORDER BY sample.tag_no, sample.ts
