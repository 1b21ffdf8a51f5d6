-- The samples of candidates, each with its cell: 15 times their place, and its minute in them.
SELECT c.place * 15 + (s.ts // 60000000 % 15)::INTEGER AS cell, s.received_at,
  if(
    s.quality >= 2,
    NULL,
    if(isfinite(s.value), s.value, s.value_int::DOUBLE) * c.scale + c."offset"
  ) AS value
FROM sample AS s
JOIN roll_candidate AS c ON c.tag_no = s.tag_no AND c.quarter = (s.ts // 900000000)::INTEGER
WHERE s.ts >= $from_us AND s.ts < $to_us
