-- Takes out the suspects that are stored exactly so. It gives no rows: the library would fetch each
-- of them for itself.
DELETE FROM suspect
USING sample
WHERE
  sample.tag_no = suspect.tag_no
  AND sample.ts = suspect.ts
  AND sample.ts BETWEEN $from_us::BIGINT AND $to_us::BIGINT
  AND sample.value IS NOT DISTINCT FROM suspect.value
  AND sample.value_int IS NOT DISTINCT FROM suspect.value_int
  AND sample.value_str IS NOT DISTINCT FROM suspect.value_str
  AND sample.quality IS NOT DISTINCT FROM suspect.quality
  AND sample.status_code IS NOT DISTINCT FROM suspect.status_code
