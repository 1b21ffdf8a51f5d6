-- Deletes the stored samples that the remaining suspects replace.
DELETE FROM sample
USING suspect
WHERE
  sample.tag_no = suspect.tag_no
  AND sample.ts = suspect.ts
  AND sample.ts BETWEEN $from_us::BIGINT AND $to_us::BIGINT
