-- How many samples some tags have within a span.
SELECT count(*) AS samples
FROM sample
SEMI JOIN (SELECT unnest(string_split($tag_nos, ' ')::INTEGER[]) AS tag_no) AS wanted
  USING (tag_no)
WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
