-- Takes out the forecast rows that are stored exactly so and gives their row numbers; unordered,
-- for the caller sorts them.
DELETE FROM forecast_suspect
USING forecast
WHERE
  forecast.tag_no = forecast_suspect.tag_no
  AND forecast.ts = forecast_suspect.ts
  AND forecast.issued_at = forecast_suspect.issued_at
  AND forecast.value = forecast_suspect.value
RETURNING forecast_suspect.row_no AS row_no
