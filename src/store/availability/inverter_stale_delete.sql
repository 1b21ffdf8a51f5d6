-- Forgets the marks of a site's days that were not marked again since they were taken.
DELETE FROM inverter_stale
WHERE site_no = $site_no::INTEGER
  AND day IN (
    SELECT s.day
    FROM inverter_stale AS s
    JOIN (
      SELECT unnest($days::INTEGER[]) AS day, unnest($marks::INTEGER[]) AS marks
    ) AS taken ON taken.day = s.day
    WHERE s.site_no = $site_no::INTEGER
    GROUP BY s.day
    HAVING count(*) = any_value(taken.marks)
  );
