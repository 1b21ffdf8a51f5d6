-- Notes how many rows of some tags and a day wait to be forwarded, by project.
INSERT INTO upstream_lost
SELECT tag.project_no, $kept::VARCHAR, ($day::BIGINT)::INTEGER, count(*), $lost_at::BIGINT,
  $destination_no::INTEGER
FROM {rows} AS r
JOIN tag USING (tag_no)
ASOF JOIN (
  FROM upstream_span WHERE destination_no = $destination_no::INTEGER
) AS s ON s.project_no = tag.project_no AND r.received_at >= s.from_us
WHERE
  r.ts >= $day::BIGINT * 86400000000 AND r.ts < ($day::BIGINT + 1) * 86400000000
  AND r.received_at < s.to_us AND r.tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
GROUP BY tag.project_no
