-- Touches all quarter-hours of a day (UTC) that have samples or anything rolled up.
CREATE OR REPLACE TEMP TABLE roll_touch AS
SELECT tag_no, quarter, true AS anew, 15 AS since
FROM (
  SELECT tag_no, (ts // 900000000)::INTEGER AS quarter
  FROM sample
  WHERE ts >= $day::BIGINT * 86400000000 AND ts < ($day::BIGINT + 1) * 86400000000
    AND ts < $over_us::BIGINT
  UNION
  SELECT tag_no, minute // 15
  FROM minute
  WHERE minute.day BETWEEN $day::BIGINT - 1 AND $day::BIGINT + 1 AND minute // 1440 = $day::BIGINT
  UNION
  SELECT tag_no, quarter
  FROM whole_quarter
  WHERE whole_quarter.quarter // 96 = $day::BIGINT
  UNION
  SELECT s.tag_no, r.minute // 15
  FROM reading AS r
  JOIN sensor AS s USING (sensor_no)
  WHERE r.day BETWEEN $day::BIGINT - 1 AND $day::BIGINT + 1 AND r.minute // 1440 = $day::BIGINT
  UNION
  SELECT s.tag_no, q.quarter
  FROM quarter AS q
  JOIN sensor AS s USING (sensor_no)
  WHERE q.day BETWEEN $day::BIGINT - 1 AND $day::BIGINT + 1 AND q.quarter // 96 = $day::BIGINT
  UNION
  SELECT s.tag_no, l.quarter
  FROM lent_quarter AS l
  JOIN sensor AS s USING (sensor_no)
  WHERE l.day BETWEEN $day::BIGINT - 1 AND $day::BIGINT + 1 AND l.quarter // 96 = $day::BIGINT
  UNION
  SELECT s.tag_no, d.day * 96 + 48
  FROM daily AS d
  JOIN sensor AS s USING (sensor_no)
  WHERE d.day = $day::BIGINT
);
