-- Minutes of whole quarter-hours, which are their samples, as `minute` has them; and those without
-- a sample, which repeat the one before. `{samples}` says of which tags, `{wholes}` of which
-- quarter-hours in `{table}`, of which it gives `{also}`, too; minutes from `{begin}` on and before
-- `{end}`.
SELECT {also}w.day, w.tag_no, (s.ts // 60000000)::INTEGER AS minute, w.received_at,
  if(s.value_int IS NULL AND NOT s.is_bad AND isfinite(s.value), s.value, NULL) AS value,
  if(s.is_bad, NULL, s.value_int) AS value_int, if(s.is_bad, NULL, s.value_str) AS value_str,
  if(s.is_bad, 2, s.quality)::UTINYINT AS quality, s.status_code, false AS carried,
  coalesce(s.quality = 0, false)::INTEGER AS good_count,
  coalesce(s.quality = 1, false)::INTEGER AS uncertain_count, s.is_bad::INTEGER AS bad_count
FROM (
  SELECT *, coalesce(quality >= 2, false) AS is_bad
  FROM sample
  WHERE {samples} AND ts >= {begin} * 60000000 AND ts < {end} * 60000000
) AS s
JOIN (
  FROM {table}
  WHERE {wholes} AND quarter >= {begin} // 15 AND quarter < ({end} + 14) // 15
) AS w ON w.tag_no = s.tag_no AND w.quarter = (s.ts // 900000000)::INTEGER
WHERE s.received_at <= w.upto
UNION ALL BY NAME
SELECT {also}w.day, w.tag_no,
  unnest(range(
    greatest(w.minute + 1, {begin}),
    least(w.minute + 1 + bit_count((w.later & -w.later) - 1), {end})
  ))::INTEGER AS minute,
  w.received_at, if(w.value_int IS NULL AND isfinite(w.value), w.value, NULL) AS value,
  w.value_int, w.value_str, w.quality, w.status_code, true AS carried, 0 AS good_count,
  0 AS uncertain_count, 0 AS bad_count
FROM (
  SELECT w.*, s.minute, s.value, s.value_int, s.value_str, s.quality, s.status_code,
    -- Of the minutes behind the sample's, and one behind the last.
    (w.seen >> (s.minute % 15 + 1)::INTEGER) | (16384 >> (s.minute % 15)::INTEGER) AS later
  FROM (
    SELECT *, ts // 60000000 AS minute
    FROM sample
    WHERE {samples} AND ts >= {begin} // 15 * 900000000 AND ts < {end} * 60000000
  ) AS s
  JOIN (
    FROM {table}
    WHERE {wholes} AND seen IS NOT NULL
      AND quarter >= {begin} // 15 AND quarter < ({end} + 14) // 15
  ) AS w ON w.tag_no = s.tag_no AND w.quarter = (s.ts // 900000000)::INTEGER
  WHERE s.received_at <= w.upto
) AS w
