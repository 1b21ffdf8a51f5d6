-- Deletes the local days of sites: the roll-up finds no day that a zone moved away. Days that are
-- not computed any more stay.
DELETE FROM daily
USING (
  SELECT s.sensor_no,
    CASE
      WHEN greatest(h.samples, h.minutes, h.quarters) > 0
      THEN greatest(h.samples, h.minutes, h.quarters) + $seal_days::INTEGER
      ELSE -1
    END AS sealed_day
  FROM sensor AS s
  LEFT JOIN horizon AS h USING (tag_no)
  WHERE s.site_no IN (SELECT unnest($site_nos::INTEGER[]))
) AS own
WHERE own.sensor_no = daily.sensor_no AND daily.day > own.sealed_day;
