-- Minutes of whole quarter-hours, which are their samples, as `minute` has them. `{samples}` says
-- of which tags, `{wholes}` of which quarter-hours in `{table}`, of which it gives `{also}`, too;
-- minutes from `{begin}` on and before `{end}`.
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
