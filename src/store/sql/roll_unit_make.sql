-- Quarter-hours of sensors to be worked out because minutes of their tag or of their model change.
CREATE OR REPLACE TEMP TABLE roll_unit AS
SELECT s.sensor_no, q.quarter
FROM roll_slot AS q
JOIN roll_sensor AS s ON s.tag_no = q.tag_no
WHERE s.how = 'plain'
UNION
SELECT s.sensor_no, q.quarter
FROM roll_slot AS q
JOIN roll_sensor AS s ON s.model_tag_no = q.tag_no
WHERE s.over_time <> 'increment';
