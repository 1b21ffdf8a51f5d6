-- The last usable reading of a tag before an instant and the first from it on, as they were sent.
SELECT max(ts) FILTER (ts < $at_us) AS before_ts,
  arg_max(number, ts) FILTER (ts < $at_us) AS before_value,
  min(ts) FILTER (ts >= $at_us) AS ts,
  arg_min(number, ts) FILTER (ts >= $at_us) AS value
FROM (
  SELECT ts, if(isfinite(value), value, value_int::DOUBLE) AS number
  FROM sample
  WHERE tag_no = $tag_no AND ts BETWEEN $at_us - $look_us AND $at_us + $look_us
    AND coalesce(quality, 0) < 2
)
WHERE number IS NOT NULL;
