-- The quarter-hours in which tags sent a value.
SELECT DISTINCT m.tag_no, (m.minute // 15)::INTEGER AS quarter
FROM minute AS m
JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND NOT m.carried
  AND (m.value_int IS NOT NULL OR m.maximum IS NOT NULL)
ORDER BY m.tag_no, quarter;
