-- Adds the minutes without samples that repeat the last usable value, while it may be carried. Of a
-- quarter-hour without gaps only the first and the last minute are looked at: from this one a value
-- may be carried, to that one.
INSERT INTO roll_minute
WITH held AS MATERIALIZED (
  SELECT tag_no, minute // 15 AS quarter, min(minute) AS oldest, max(minute) AS newest,
    newest - oldest + 1 > count(*) AS has_gaps
  FROM roll_minute
  GROUP BY tag_no, quarter
),
edge AS (
  SELECT tag_no, minute, true AS gives
  FROM roll_minute
  SEMI JOIN (FROM held WHERE has_gaps) AS h ON h.tag_no = roll_minute.tag_no
    AND h.quarter = minute // 15
  UNION ALL
  SELECT tag_no, oldest, false FROM held WHERE NOT has_gaps
  UNION ALL
  SELECT tag_no, newest, true FROM held WHERE NOT has_gaps
  UNION ALL
  SELECT tag_no, quarter * 15, false FROM roll_whole
)
SELECT q.day, q.fresh, c.*
FROM (
  SELECT m.tag_no, unnest(range(m.minute + 1, g.until))::INTEGER AS minute, true AS carried,
    m.last AS mean, m.last AS minimum, m.last AS maximum, m.last, m.value_int, m.value_str,
    0 AS good_count, 0 AS uncertain_count, 0 AS bad_count,
    CASE WHEN m.uncertain_count > 0 THEN 1 WHEN m.good_count > 0 THEN 0 END::UTINYINT AS quality,
    m.status_code, true AS holds
  FROM roll_minute AS m
  JOIN (
    SELECT tag_no, minute, least(next, minute + carry + 1, $over_minute) AS until
    FROM (
      SELECT tag_no, minute, gives,
        lead(minute) OVER (PARTITION BY tag_no ORDER BY minute, gives) AS next
      FROM edge
    )
    JOIN roll_tag USING (tag_no)
    WHERE gives AND until > minute + 1
  ) AS g
    ON g.tag_no = m.tag_no AND g.minute = m.minute
  WHERE m.holds
) AS c
LEFT JOIN roll_scope AS q ON q.tag_no = c.tag_no AND q.quarter = c.minute // 15;
