-- How many rows of some tags there are in each hour, their digest in any order, and the first and
-- last stamp they were stored with. Whole numbers count as floats: sides may store them either way.
SELECT
  tag_no, (ts // 3600000000)::INTEGER AS hour, count(*)::INTEGER AS rows,
  {gather}(hash(ts, {columns}))::VARCHAR AS digest, min(received_at) AS first_us,
  max(received_at) AS last_us
FROM {rows}
SEMI JOIN (SELECT unnest($tag_nos::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
GROUP BY tag_no, hour
ORDER BY tag_no, hour
