-- The tags that have samples in their windows.
SELECT DISTINCT s.tag_no
FROM sample AS s
JOIN roll_window AS w ON w.tag_no = s.tag_no AND s.ts >= w.from_us AND s.ts < w.to_us
WHERE s.ts >= $from_us AND s.ts < $to_us
ORDER BY s.tag_no;
