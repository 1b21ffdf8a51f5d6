-- Adds the amounts beside rates whose expected values can be sent: integrals of what is expected of
-- the rate, where the amount's own were not sent.
INSERT INTO roll_model
SELECT sensor_no, minute, model / 60, clipped / 60, NULL
FROM (
  SELECT s.sensor_no, m.minute, m.model, m.clipped
  FROM roll_model AS m
  JOIN (
    SELECT s.sensor_no, s.rate_no, u.quarter
    FROM roll_sensor AS s
    JOIN roll_sensor AS rate ON rate.sensor_no = s.rate_no AND rate.model_tag_no IS NOT NULL
    JOIN roll_unit AS u ON u.sensor_no = s.sensor_no AND u.remodel
  ) AS s ON s.rate_no = m.sensor_no AND s.quarter = m.minute // 15
)
ANTI JOIN roll_sent USING (sensor_no, minute);
