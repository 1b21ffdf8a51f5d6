-- Tables that hold rolled-up rows of tags or sensors that are no more, and how many each.
SELECT name, count(*) AS rows
FROM (
  SELECT 'minute' AS name FROM minute WHERE tag_no NOT IN (SELECT tag_no FROM tag)
  UNION ALL
  SELECT 'whole_quarter'
  FROM whole_quarter
  WHERE
    tag_no NOT IN (SELECT tag_no FROM tag)
    OR sensor_no IS NOT NULL AND sensor_no NOT IN (SELECT sensor_no FROM sensor)
  UNION ALL
  SELECT 'reading' FROM reading WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)
  UNION ALL
  SELECT 'quarter' FROM quarter WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)
  UNION ALL
  SELECT 'lent_quarter' FROM lent_quarter WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)
  UNION ALL
  SELECT 'daily' FROM daily WHERE sensor_no NOT IN (SELECT sensor_no FROM sensor)
)
GROUP BY name
ORDER BY name
