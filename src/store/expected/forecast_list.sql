-- The points of forecast runs from all sources, in minutes since 1970; each run's in order of time.
SELECT
  source.source_no,
  forecast.issued_at::DOUBLE AS issued_us,
  forecast.ts::DOUBLE / 60000000 AS minute,
  forecast.value
FROM forecast
JOIN (
  SELECT unnest($source_nos::INTEGER[]) AS source_no, unnest($tag_nos::INTEGER[]) AS tag_no
) AS source ON forecast.tag_no = source.tag_no
WHERE
  forecast.ts >= $from_us::BIGINT
  AND forecast.ts < $to_us::BIGINT
  AND forecast.issued_at < $before_us::BIGINT
ORDER BY source.source_no, issued_us, minute
