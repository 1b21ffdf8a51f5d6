-- Adds the expected amounts that were not sent: integrals of their rate's expected values.
INSERT INTO roll_model
SELECT sensor_no, minute, m.model / 60, m.clipped / 60
FROM roll_model AS m
JOIN (
  SELECT s.sensor_no, s.rate_no, u.quarter
  FROM roll_sensor AS s
  JOIN roll_unit AS u USING (sensor_no)
  WHERE u.remodel AND s.rate_no IS NOT NULL
) AS s ON s.rate_no = m.sensor_no AND s.quarter = m.minute // 15
ANTI JOIN roll_sent USING (sensor_no, minute);
