-- The bits of event words by quarter-hour, with the minutes that each was set in (bit i for
-- minute i). Most words are 0 most of the time.
WITH word AS MATERIALIZED (
  SELECT m.tag_no, m.minute,
    coalesce(m.value_int, round(coalesce(m.maximum, m.value))::BIGINT) AS bits
  FROM minute AS m
  SEMI JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
  WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
    AND bits <> 0
)
SELECT word.tag_no, (word.minute // 15)::INTEGER AS quarter, place.bit::DOUBLE AS code,
  bit_or(1 << (word.minute % 15))::INTEGER AS minutes
FROM word
JOIN range(64) AS place(bit) ON (word.bits >> place.bit) & 1 = 1
GROUP BY ALL
ORDER BY word.tag_no, quarter, code;
