-- The last usable reading of a tag before an instant and the first from it on, as they were sent.
SELECT max(ts) FILTER (ts < $at_us::BIGINT) AS before_ts,
  arg_max(number, ts) FILTER (ts < $at_us::BIGINT) AS before_value,
  min(ts) FILTER (ts >= $at_us::BIGINT) AS ts,
  arg_min(number, ts) FILTER (ts >= $at_us::BIGINT) AS value
FROM (
  SELECT ts, if(isfinite(value), value, value_int::DOUBLE) AS number
  FROM sample
  WHERE tag_no = $tag_no::INTEGER
    AND ts BETWEEN $at_us::BIGINT - $look_us::BIGINT AND $at_us::BIGINT + $look_us::BIGINT
    AND coalesce(quality, 0) < 2
)
WHERE number IS NOT NULL;
