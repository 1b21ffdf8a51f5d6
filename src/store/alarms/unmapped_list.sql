-- The tags of all alarms that are on no device.
SELECT DISTINCT project_no, source_tag
FROM occurrence
WHERE device_id IS NULL
ORDER BY project_no, source_tag
