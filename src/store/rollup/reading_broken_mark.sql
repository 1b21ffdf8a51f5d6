-- Marks the amounts of counters that can't be matched: somewhere between the readings that they
-- come from, in daylight, nothing is expected. Minutes beside the computed ones are read as stored.
WITH expecting AS (
  SELECT sensor_no
  FROM roll_sensor
  WHERE how = 'counter' AND (family IS NOT NULL OR model_tag_no IS NOT NULL)
)
UPDATE roll_reading
SET broken = true
FROM (
  SELECT sensor_no, minute
  FROM (
    SELECT sensor_no, minute, is_new,
      sum(lacks) OVER (
        PARTITION BY sensor_no ORDER BY minute
        RANGE BETWEEN span_before PRECEDING AND span_after FOLLOWING
      ) AS lacks
    FROM (
      SELECT sensor_no, minute, span_before, span_after,
        (light AND model IS NULL)::INTEGER AS lacks, true AS is_new
      FROM roll_reading
      SEMI JOIN expecting USING (sensor_no)
      WHERE span_before + span_after BETWEEN 1 AND $spread::INTEGER
      UNION ALL
      SELECT r.sensor_no, r.minute, r.span_before, r.span_after,
        (r.light AND r.model IS NULL)::INTEGER, false
      FROM reading AS r
      SEMI JOIN expecting AS e ON e.sensor_no = r.sensor_no
      SEMI JOIN roll_unit AS s ON s.sensor_no = r.sensor_no
      ANTI JOIN roll_unit AS u ON u.sensor_no = r.sensor_no AND u.quarter = r.minute // 15
      WHERE r.minute BETWEEN $from_minute::INTEGER - $spread::INTEGER
          AND $to_minute::INTEGER + $spread::INTEGER
        AND r.span_before + r.span_after BETWEEN 1 AND $spread::INTEGER
    )
  )
  WHERE is_new AND lacks > 0
) AS found
WHERE roll_reading.sensor_no = found.sensor_no AND roll_reading.minute = found.minute;
