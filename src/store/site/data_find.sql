-- Those of the tags $tag_nos that hold samples or forecasts.
SELECT DISTINCT held.tag_no
FROM (
  SELECT tag_no FROM sample
  UNION ALL
  SELECT tag_no FROM forecast
) AS held
WHERE held.tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
ORDER BY held.tag_no;
