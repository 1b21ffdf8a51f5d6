-- The last day of each site on which its inverters have states.
SELECT s.site_no, max(d.day) AS day
FROM inverter_day AS d
JOIN sensor AS s USING (sensor_no)
GROUP BY s.site_no
ORDER BY s.site_no;
