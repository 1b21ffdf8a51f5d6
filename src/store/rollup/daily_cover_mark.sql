-- Counts the minutes of daylight that are covered where values come seldom: each stands for those
-- until the next one usually comes: that far values lie apart, or closer, in two of five
-- quarter-hours of the day. Where every expected minute is matched there is nothing to add.
WITH mask AS (
  SELECT day, sensor_no, quarter, bit_or(heard) AS heard,
    bit_or(modelled) FILTER (light) AS modelled
  FROM (
    SELECT day, sensor_no, quarter, light, heard, modelled
    FROM roll_sum
    UNION ALL
    SELECT q.day, q.sensor_no, q.quarter, q.light, q.heard, q.modelled
    FROM quarter AS q
    ANTI JOIN roll_unit AS u ON u.sensor_no = q.sensor_no AND u.quarter = q.quarter
    WHERE q.day BETWEEN $from_day AND $to_day
  )
  SEMI JOIN (
    FROM roll_daily WHERE light AND coalesce(matched_n, 0) < model_n
  ) AS lacking USING (day, sensor_no)
  WHERE modelled IS NOT NULL
  GROUP BY day, sensor_no, quarter
),
seldom AS (
  SELECT day, sensor_no, quantile_disc(spacing_of(heard), 0.4) AS spacing
  FROM mask
  GROUP BY day, sensor_no
  HAVING spacing > 1
)
UPDATE roll_daily
SET covered = found.covered
FROM (
  SELECT day, sensor_no, sum(bit_count(bits))::INTEGER AS covered
  FROM (
    SELECT day, sensor_no, cover_of(before, heard, spacing) & modelled AS bits
    FROM (
      SELECT day, sensor_no, heard, modelled, spacing,
        lag(heard) OVER (
          PARTITION BY day, sensor_no ORDER BY quarter RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING
        ) AS before
      FROM mask
      JOIN seldom USING (day, sensor_no)
    )
  )
  GROUP BY day, sensor_no
) AS found
WHERE roll_daily.day = found.day AND roll_daily.sensor_no = found.sensor_no AND roll_daily.light
  AND found.covered IS NOT NULL;
