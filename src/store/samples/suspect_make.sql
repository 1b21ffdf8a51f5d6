-- Makes the room for rows that may be stored already, once per connection.
CREATE TEMP TABLE IF NOT EXISTS suspect (
  row_no INTEGER, tag_no INTEGER, ts BIGINT,
  value DOUBLE, value_int BIGINT, value_str VARCHAR, quality UTINYINT, status_code UINTEGER
)
