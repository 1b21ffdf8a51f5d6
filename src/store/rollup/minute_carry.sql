-- Adds the minutes without samples that repeat the last usable value, while it may be carried.
INSERT INTO roll_minute
WITH run AS MATERIALIZED (
  SELECT tag_no, max(minute) AS newest, newest - min(minute) + 1 > count(*) AS has_gaps
  FROM roll_minute
  GROUP BY tag_no
)
SELECT m.tag_no, unnest(range(m.minute + 1, g.until))::INTEGER AS minute, true AS carried,
  m.last AS mean, m.last AS minimum, m.last AS maximum, m.last, m.value_int, m.value_str,
  0 AS good_count, 0 AS uncertain_count, 0 AS bad_count, 0 AS usable_count,
  CASE WHEN m.uncertain_count > 0 THEN 1 WHEN m.good_count > 0 THEN 0 END::UTINYINT AS quality,
  m.status_code, true AS holds
FROM roll_minute AS m
JOIN (
  SELECT tag_no, minute, least(next, minute + carry + 1, $over_minute) AS until
  FROM (
    SELECT tag_no, minute, lead(minute) OVER (PARTITION BY tag_no ORDER BY minute) AS next
    FROM roll_minute
    SEMI JOIN (FROM run WHERE has_gaps) USING (tag_no)
    UNION ALL
    SELECT tag_no, newest, NULL FROM run WHERE NOT has_gaps
  )
  JOIN roll_tag USING (tag_no)
) AS g
  ON g.tag_no = m.tag_no AND g.minute = m.minute
WHERE m.holds AND g.until > g.minute + 1;
