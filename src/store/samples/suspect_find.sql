-- The suspects under whose tag and time something is stored, and whether it is exactly the same;
-- unordered, for the caller sorts them.
SELECT suspect.row_no,
  sample.value IS NOT DISTINCT FROM suspect.value
    AND sample.value_int IS NOT DISTINCT FROM suspect.value_int
    AND sample.value_str IS NOT DISTINCT FROM suspect.value_str
    AND sample.quality IS NOT DISTINCT FROM suspect.quality
    AND sample.status_code IS NOT DISTINCT FROM suspect.status_code AS same
FROM suspect, sample
WHERE
  sample.tag_no = suspect.tag_no
  AND sample.ts = suspect.ts
  AND sample.ts BETWEEN $from_us::BIGINT AND $to_us::BIGINT
