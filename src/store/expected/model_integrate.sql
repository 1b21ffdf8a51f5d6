-- Adds the amounts beside rates whose expected values can be sent: integrals of what is expected of
-- the rate, where the amount's own were not sent. With storage below, a register that counts one
-- way stands still the other way.
INSERT INTO roll_model
SELECT sensor_no, minute, if(storage IS NOT NULL AND one_way, greatest(model, 0), model) / 60,
  clipped / 60, if(one_way, greatest(storage, storage - model), storage) / 60
FROM (
  SELECT s.sensor_no, m.minute, m.model, m.clipped, m.storage, s.one_way
  FROM roll_model AS m
  JOIN (
    SELECT s.sensor_no, s.rate_no, s.one_way, u.quarter
    FROM roll_sensor AS s
    JOIN roll_sensor AS rate ON rate.sensor_no = s.rate_no AND rate.model_tag_no IS NOT NULL
    JOIN roll_unit AS u ON u.sensor_no = s.sensor_no AND u.remodel
  ) AS s ON s.rate_no = m.sensor_no AND s.quarter = m.minute // 15
)
ANTI JOIN roll_sent USING (sensor_no, minute);
