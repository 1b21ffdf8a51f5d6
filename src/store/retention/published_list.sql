-- The marks of copies in the lake, and whether each copy has as many rows as it had.
SELECT mark.copy, mark.rows IS NOT DISTINCT FROM counted.rows AS is_whole
FROM lake.main.published AS mark
LEFT JOIN (
  SELECT copy, count(*) AS rows
  FROM lake.main.sample
  WHERE copy IN (SELECT unnest($names::VARCHAR[]))
  GROUP BY copy
) AS counted ON counted.copy = mark.copy
WHERE list_contains($names::VARCHAR[], mark.copy)
