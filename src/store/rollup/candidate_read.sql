-- The samples of candidates, each with its cell: 15 times their place, and its minute in them.
-- holds: its value can be carried on.
SELECT c.place * 15 + (s.ts // 60000000 % 15)::INTEGER AS cell, s.received_at,
  if(
    s.quality >= 2,
    NULL,
    if(isfinite(s.value), s.value, s.value_int::DOUBLE) * c.scale + c."offset"
  ) AS value,
  coalesce(s.quality, 0) < 2
    AND (coalesce(isfinite(s.value), false) OR s.value_int IS NOT NULL OR s.value_str IS NOT NULL)
    AS holds
FROM sample AS s
JOIN roll_candidate AS c ON c.tag_no = s.tag_no AND c.quarter = (s.ts // 900000000)::INTEGER
WHERE s.ts >= $from_us AND s.ts < $to_us
