-- Samples of some tags in spans of time that do not overlap.
SELECT
  tag_no, ts AS ts_us, value, value_int::VARCHAR AS value_int, quality::INTEGER AS quality,
  status_code
FROM sample
SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
ASOF JOIN (
  SELECT unnest($begins::BIGINT[]) AS begin_us, unnest($ends::BIGINT[]) AS end_us
) AS span ON sample.ts >= span.begin_us
WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT AND ts < span.end_us
ORDER BY tag_no, ts
