-- Adds the minutes without samples that repeat the last usable value, while it may be carried.
INSERT INTO roll_minute
SELECT m.tag_no, unnest(range(m.minute + 1, g.until))::INTEGER AS minute, true AS carried,
  m.last AS mean, m.last AS minimum, m.last AS maximum, m.last, m.value_int, m.value_str,
  0 AS good_count, 0 AS uncertain_count, 0 AS bad_count, 0 AS usable_count,
  CASE WHEN m.uncertain_count > 0 THEN 1 WHEN m.good_count > 0 THEN 0 END::UTINYINT AS quality,
  m.status_code, true AS holds
FROM roll_minute AS m
JOIN (
  SELECT tag_no, minute, holds,
    least(
      lead(minute) OVER (PARTITION BY tag_no ORDER BY minute), minute + carry + 1, $over_minute
    ) AS until
  FROM roll_minute
  JOIN roll_tag USING (tag_no)
) AS g
  ON g.tag_no = m.tag_no AND g.minute = m.minute
WHERE g.holds AND g.until > g.minute + 1;
