-- Setpoints in W by what they limit and minute, while they are active: below rated power and not
-- contradicted. One is contradicted in $window minutes on end in which the least power measured is
-- above the greatest that would follow it, unless it is on its way down: falling in nearly all, and
-- faster than a sun sets.
CREATE OR REPLACE TEMP TABLE roll_active AS
WITH said AS MATERIALIZED (
  SELECT r.rule_no, h.minute, r.rated_w, h.value * r.factor AS setpoint,
    setpoint + greatest(abs(setpoint) * $of_setpoint::DOUBLE, r.rated_w * $of_rated::DOUBLE) AS most
  FROM roll_held AS h
  JOIN roll_source AS r ON r.source_no = h.sensor_no
  WHERE isfinite(h.value) AND (r.rated_w IS NULL OR h.value * r.factor < r.rated_w)
),
measured AS (
  SELECT w.rule_no, m.minute, sum(m.mean * w.scale + w."offset") AS power
  FROM roll_witness AS w
  JOIN roll_minute AS m USING (tag_no)
  WHERE m.mean IS NOT NULL AND NOT m.carried
  GROUP BY w.rule_no, m.minute
  HAVING count(*) = any_value(w.witnesses)
),
above AS (
  SELECT rule_no, minute, rated_w, most, power,
    power < first_value(power) OVER (
      PARTITION BY rule_no ORDER BY minute RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING
    ) AS falls
  FROM said
  JOIN measured USING (rule_no, minute)
  WHERE power > most
),
judged AS (
  SELECT rule_no, minute,
    count(*) OVER lately = $window::BIGINT
      AND min(power) OVER lately > max(most) OVER lately
      AND NOT (
        count(*) FILTER (falls) OVER lately >= $window::BIGINT - 1
        AND max(power) OVER lately - power
          > $ramp::DOUBLE * coalesce(rated_w, max(power) OVER lately)
      ) AS contradicted
  FROM above
  WINDOW lately AS (
    PARTITION BY rule_no ORDER BY minute RANGE BETWEEN $window::BIGINT - 1 PRECEDING AND CURRENT ROW
  )
),
void AS (
  SELECT DISTINCT rule_no, unnest(range(minute - $window::BIGINT + 1, minute + 1)) AS minute
  FROM judged
  WHERE contradicted
)
SELECT r.target_no, r.group_no, r.level, r.is_whole, r.family, minute, setpoint
FROM said
JOIN roll_source AS r USING (rule_no)
ANTI JOIN void USING (rule_no, minute);
