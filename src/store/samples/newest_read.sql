-- The newest sample of each tag that has one in the time before the newest of all up to an instant:
-- what is later was stored by a clock that was ahead. First when that is, then the sample itself:
-- to keep the whole of each until a newer one comes takes ten times as long.
WITH newest AS MATERIALIZED (
  SELECT tag_no, max(ts) AS ts
  FROM sample
  WHERE
    ts >= (SELECT ts FROM sample WHERE ts <= $latest_us::BIGINT ORDER BY ts DESC LIMIT 1)
      - $reach_us::BIGINT
    AND ts <= $latest_us::BIGINT
  GROUP BY tag_no
)
SELECT
  tag_no,
  ts AS ts_us,
  received_at AS received_us,
  coalesce(value, value_int::DOUBLE) AS number,
  value_str AS word,
  quality::INTEGER AS quality
FROM sample
JOIN newest USING (tag_no, ts)
ORDER BY tag_no
