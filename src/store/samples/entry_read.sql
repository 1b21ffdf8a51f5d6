-- Entries of signals, in no order: samples of some tags and times, their minutes, or both. Local
-- days are up to a day off the UTC ones.
WITH raw AS (
  SELECT {raw}
  FROM sample
  WHERE {tags} AND ts >= $from_us AND ts < $to_us
),
minutes AS (
  SELECT {minutes}
  FROM (
    FROM minute
    WHERE {tags}
      AND day BETWEEN $from_us::BIGINT // 86400000000 - 1 AND $to_us::BIGINT // 86400000000 + 1
      AND minute >= {from_minute}
      AND minute < {to_minute}
    {whole_minutes}
  )
),
entry AS (
  FROM ({kinds})
  {narrowed}
)
{read}
