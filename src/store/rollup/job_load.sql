-- Samples of the windows' tags in order, as numbers that a double holds; NaN where unusable.
SELECT s.tag_no, s.ts::DOUBLE AS ts,
  CASE
    WHEN s.quality >= 2 THEN 'nan'::DOUBLE
    WHEN isfinite(s.value) THEN s.value
    ELSE coalesce(s.value_int::DOUBLE, 'nan'::DOUBLE)
  END AS value
FROM sample AS s
JOIN roll_window AS w ON w.tag_no = s.tag_no AND s.ts >= w.from_us AND s.ts < w.to_us
WHERE s.ts >= $from_us AND s.ts < $to_us
ORDER BY s.tag_no, s.ts;
