-- The bits of event words by quarter-hour, with the minutes that each was set in (bit i for
-- minute i).
SELECT m.tag_no, (m.minute // 15)::INTEGER AS quarter, wanted.bit::DOUBLE AS code,
  bit_or(1 << (m.minute % 15))::INTEGER AS minutes
FROM minute AS m
JOIN (
  SELECT unnest($tags::INTEGER[]) AS tag_no, unnest($bits::INTEGER[]) AS bit
) AS wanted ON wanted.tag_no = m.tag_no
WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
  AND (m.value_int IS NOT NULL OR m.maximum IS NOT NULL)
  AND (coalesce(m.value_int, round(m.maximum)::BIGINT) >> wanted.bit) & 1 = 1
GROUP BY ALL
ORDER BY m.tag_no, quarter, code;
