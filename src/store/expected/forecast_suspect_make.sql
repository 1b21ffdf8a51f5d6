-- Makes the room for forecast rows on their way in, once per connection.
CREATE TEMP TABLE IF NOT EXISTS forecast_suspect (
  row_no INTEGER, tag_no INTEGER, ts BIGINT, issued_at BIGINT, value DOUBLE
)
