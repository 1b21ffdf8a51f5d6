-- Samples alone as entries of signals: a level more takes a tenth of a small page to plan.
WITH entry AS (
  SELECT {raw}
  FROM sample
  {narrowed}
  WHERE {tags}
    AND ts >= $from_us
    AND ts < $to_us
)
{read}
