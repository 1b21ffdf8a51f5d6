-- Quarter-hours of sensors that are due because of minutes: those of their own tag, and those that
-- their models depend on, or the setpoints of the minutes before. A row that says `remodel` stands
-- for the sensor's whole family.
CREATE OR REPLACE TEMP TABLE roll_due_unit AS
SELECT s.sensor_no, q.quarter, false AS remodel
FROM roll_due_slot AS q
JOIN roll_sensor AS s ON s.tag_no = q.tag_no
WHERE s.how = 'plain'
UNION ALL
SELECT s.sensor_no, q.quarter, true
FROM roll_due_slot AS q
JOIN roll_sensor AS s ON s.model_tag_no = q.tag_no
WHERE s.model_factor IS NOT NULL
UNION ALL
SELECT f.family, q.quarter, true
FROM roll_due_slot AS q
JOIN roll_feed AS f ON f.tag_no = q.tag_no
UNION ALL
SELECT h.family, t.quarter - 1, true
FROM roll_touch AS t
JOIN roll_hindsight AS h ON h.tag_no = t.tag_no
WHERE t.since < $early_minutes AND t.quarter < $end_quarter
UNION ALL
SELECT s.sensor_no, t.quarter, true
FROM roll_touch AS t
JOIN roll_sensor AS s ON s.tag_no = t.tag_no
WHERE t.anew AND t.quarter < $end_quarter;
