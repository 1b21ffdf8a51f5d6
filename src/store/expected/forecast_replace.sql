-- Deletes the stored forecast rows that the remaining ones replace.
DELETE FROM forecast
USING forecast_suspect
WHERE
  forecast.tag_no = forecast_suspect.tag_no
  AND forecast.ts = forecast_suspect.ts
  AND forecast.issued_at = forecast_suspect.issued_at
