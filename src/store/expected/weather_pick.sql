-- The healthy weather of the minutes of light. An irradiance is shaded where its trail is less
-- than half of the median of the site's other ones that face its way while that is over 100 W/m2.
-- Of n in order, counted from 1, that median is the mean of the two at its middle: for one in the
-- lower half those at n // 2 + 1 and (n + 1) // 2 + 1, for the middle one those beside it.
CREATE OR REPLACE TEMP TABLE roll_healthy AS
WITH unflat AS (
  SELECT w.pool_no, w.block_no, w.facing_no, w.is_lent, w.quantity, w.minute, w.value, w.trail,
    w.is_light
  FROM roll_weather_minute AS w
  SEMI JOIN roll_axis AS x ON x.pool_no = w.pool_no AND x.minute = w.minute
  WHERE NOT w.flat
),
crowd AS (
  SELECT pool_no, facing_no, is_lent, quantity, minute,
    (trails[count // 2 + 1] + trails[(count + 1) // 2 + 1]) / 2 AS others,
    if(count % 2 = 1, trails[count // 2 + 1], NULL) AS middle,
    (trails[count // 2] + trails[count // 2 + 2]) / 2 AS beside_middle
  FROM (
    SELECT pool_no, facing_no, is_lent, quantity, minute, list_sort(list(trail)) AS trails,
      count(*) AS count
    FROM unflat
    WHERE is_light
    GROUP BY pool_no, facing_no, is_lent, quantity, minute
  )
  WHERE count > 1
)
SELECT u.pool_no, u.block_no, u.facing_no, u.is_lent, u.quantity, u.minute, u.value
FROM unflat AS u
LEFT JOIN crowd AS c
  ON c.pool_no = u.pool_no AND c.is_lent = u.is_lent AND c.facing_no = u.facing_no
    AND c.quantity = u.quantity
    AND c.minute = u.minute
WHERE NOT coalesce(
  if(u.trail = c.middle, c.beside_middle, c.others) > greatest(100, 2 * u.trail), false
);
