-- Every day (UTC) that has samples or anything rolled up.
SELECT DISTINCT day
FROM (
  SELECT (ts // 86400000000)::INTEGER AS day FROM sample
  UNION ALL
  SELECT minute // 1440 FROM minute
  UNION ALL
  SELECT quarter // 96 FROM whole_quarter
  UNION ALL
  SELECT minute // 1440 FROM reading
  UNION ALL
  SELECT quarter // 96 FROM quarter
  UNION ALL
  SELECT day FROM daily
)
ORDER BY day;
