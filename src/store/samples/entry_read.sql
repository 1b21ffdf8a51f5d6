-- Entries of signals, in no order: samples of some tags and times, their minutes, or both. Local
-- days are up to a day off the UTC ones.
WITH raw AS (
  SELECT
    tag_no, 0 AS resolution, ts, received_at, if(quality = 2, NULL, value) AS value,
    if(quality = 2, NULL, value_int) AS value_int, if(quality = 2, NULL, value_str) AS value_str,
    quality::INTEGER AS quality, status_code, 0 AS carried, NULL::INTEGER AS good_count,
    NULL::INTEGER AS uncertain_count, NULL::INTEGER AS bad_count
  FROM sample
  WHERE {tags} AND ts >= $from_us AND ts < $to_us
),
minutes AS (
  SELECT
    tag_no, 1 AS resolution, minute::BIGINT * 60000000 AS ts, received_at, value, value_int,
    value_str, quality::INTEGER AS quality, status_code, carried::INTEGER AS carried, good_count,
    uncertain_count, bad_count
  FROM minute
  WHERE {tags}
    AND day BETWEEN $from_us::BIGINT // 86400000000 - 1 AND $to_us::BIGINT // 86400000000 + 1
    AND minute >= ($from_us::BIGINT + 59999999) // 60000000
    AND minute < ($to_us::BIGINT + 59999999) // 60000000
),
entry AS (
  FROM ({kinds})
  {narrowed}
)
{read}
