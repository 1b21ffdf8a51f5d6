-- Of each of some tags that has samples within a span: the newest, and the newest with a value.
SELECT
  tag_no,
  max(ts) AS head_us,
  max(ts) FILTER (
    quality IS DISTINCT FROM 2
    AND (value IS NOT NULL OR value_int IS NOT NULL OR value_str IS NOT NULL)
  ) AS valued_us
FROM sample
SEMI JOIN (SELECT unnest(string_split($tag_nos::VARCHAR, ' ')::INTEGER[]) AS tag_no) AS wanted
  USING (tag_no)
WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
GROUP BY tag_no
ORDER BY tag_no
