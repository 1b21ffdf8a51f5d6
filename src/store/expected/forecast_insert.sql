-- Stores the remaining forecast rows.
INSERT INTO forecast (tag_no, ts, issued_at, received_at, value)
SELECT tag_no, ts, issued_at, $received_at::BIGINT, value
FROM forecast_suspect
ORDER BY row_no
