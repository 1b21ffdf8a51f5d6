-- How many rows of a part are whose, and what each of them measures.
SELECT {owner} AS owner_no, count(*)::INTEGER AS rows, any_value(coalesce(kind, '')) AS kind
FROM {table}_part
LEFT JOIN (
  SELECT {owner}, min(measure) AS kind
  FROM sensor
  GROUP BY {owner}
) USING ({owner})
GROUP BY {owner}
ORDER BY {owner}
