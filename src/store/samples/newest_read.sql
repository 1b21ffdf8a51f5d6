-- The newest sample of each tag that has one in the time before the newest of all up to an instant:
-- what is later was stored by a clock that was ahead.
SELECT
  tag_no,
  newest.ts AS ts_us,
  newest.received_at AS received_us,
  coalesce(newest.value, newest.value_int::DOUBLE) AS number,
  newest.value_str AS word,
  newest.quality::INTEGER AS quality
FROM (
  SELECT
    tag_no,
    arg_max(
      {
        ts: ts, received_at: received_at, value: value, value_int: value_int,
        value_str: value_str, quality: quality
      },
      ts
    ) AS newest
  FROM sample
  WHERE
    ts >= (SELECT max(ts) FROM sample WHERE ts <= $latest_us::BIGINT) - $reach_us::BIGINT
    AND ts <= $latest_us::BIGINT
  GROUP BY tag_no
)
ORDER BY tag_no
