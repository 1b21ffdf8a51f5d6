-- Samples of some tags as statistics take them, a tag after the other in order of time. What is not
-- usable (see `roll_minute`) is bad; a source without qualities sends good samples.
SELECT
  tag_no, ts, number,
  if(usable, coalesce(value_int, (hash(value_str) >> 1)::BIGINT), NULL) AS state,
  if(usable, coalesce(quality, 0), 2)::INTEGER AS quality
FROM (
  SELECT
    sample.tag_no, sample.ts, sample.quality, sample.value_int, sample.value_str,
    if(isfinite(sample.value), sample.value, sample.value_int::DOUBLE) AS number,
    coalesce(sample.quality < 2, true) AND (number IS NOT NULL OR sample.value_str IS NOT NULL)
      AS usable
  FROM sample
  JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted
    ON sample.tag_no = wanted.tag_no
  WHERE sample.ts >= $from_us::BIGINT AND sample.ts < $to_us::BIGINT
)
ORDER BY tag_no, ts
