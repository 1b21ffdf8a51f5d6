-- The codes of tags by quarter-hour, with the minutes that each held in (bit i for minute i) and
-- whether some of them were sent then.
SELECT m.tag_no, (m.minute // 15)::INTEGER AS quarter,
  coalesce(m.value_int, round(m.maximum))::DOUBLE AS code,
  bit_or(1 << (m.minute % 15))::INTEGER AS minutes, bool_or(NOT m.carried)::INTEGER AS heard
FROM minute AS m
JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND (m.value_int IS NOT NULL OR m.maximum IS NOT NULL)
GROUP BY ALL
ORDER BY m.tag_no, quarter, code;
