-- Expected values that were sent, by sensor and minute: the model tag's minutes (carried ones too)
-- and sent amounts.
CREATE OR REPLACE TEMP TABLE roll_sent AS
SELECT u.sensor_no, m.minute, m.mean * s.model_factor + s.model_offset AS model
FROM roll_minute AS m
JOIN roll_sensor AS s ON s.model_tag_no = m.tag_no
JOIN roll_unit AS u ON u.sensor_no = s.sensor_no AND u.quarter = m.minute // 15
WHERE u.remodel AND s.model_factor IS NOT NULL AND m.mean IS NOT NULL
UNION ALL
SELECT sensor_no, minute, value
FROM roll_expected;
