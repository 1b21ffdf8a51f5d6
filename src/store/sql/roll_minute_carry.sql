-- Adds the minutes without samples that repeat the last usable value, while it may be carried.
INSERT INTO roll_minute
SELECT tag_no, unnest(range(minute + 1, until))::INTEGER AS minute, true AS carried, last AS mean,
  last AS minimum, last AS maximum, last, value_int, value_str, 0 AS good_count,
  0 AS uncertain_count, 0 AS bad_count, 0 AS usable_count,
  CASE WHEN uncertain_count > 0 THEN 1 WHEN good_count > 0 THEN 0 END::UTINYINT AS quality,
  status_code, true AS holds
FROM (
  SELECT m.*,
    least(
      lead(m.minute) OVER (PARTITION BY m.tag_no ORDER BY m.minute), m.minute + t.carry + 1,
      $over_minute
    ) AS until
  FROM roll_minute AS m
  JOIN roll_tag AS t USING (tag_no)
)
WHERE holds AND until > minute + 1;
