-- The codes of tags by quarter-hour, with the minutes that each held in (bit i for minute i) and
-- whether some of them were sent then; of those minutes of each day alone that can be light.
SELECT m.tag_no, (m.minute // 15)::INTEGER AS quarter,
  coalesce(m.value_int, round(coalesce(m.maximum, m.value)))::DOUBLE AS code,
  bit_or(1 << (m.minute % 15))::INTEGER AS minutes, bool_or(NOT m.carried)::INTEGER AS heard
FROM minute AS m
SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND (m.minute - $from_minute::INTEGER) % 1440 < $minutes::INTEGER
  AND (m.value_int IS NOT NULL OR m.value IS NOT NULL)
GROUP BY ALL
ORDER BY m.tag_no, quarter, code;
