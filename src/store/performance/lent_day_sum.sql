-- The same of whole days, each of which falls to the bucket listed for it.
SELECT sensor_no, days.bucket, sum(bit_count(bits))::DOUBLE AS minutes
FROM lent_quarter
JOIN (
  SELECT
    unnest(range($from_day::INTEGER, $to_day::INTEGER))::INTEGER AS day,
    unnest($buckets::INTEGER[]) AS bucket
) AS days USING (day)
WHERE sensor_no IN (SELECT unnest($sensors::INTEGER[]))
GROUP BY ALL
