-- How many rows of a day are whose, and what each of them measures.
SELECT {owner} AS owner_no, count(*)::INTEGER AS rows, any_value(coalesce(kind, '')) AS kind
FROM {table}
LEFT JOIN (
  SELECT {owner}, min(measure) AS kind
  FROM sensor
  GROUP BY {owner}
) USING ({owner})
WHERE {at} >= $day::BIGINT * {per_day} AND {at} < ($day::BIGINT + 1) * {per_day}
GROUP BY {owner}
ORDER BY {owner}
