-- Whether the samples of a part are those that were taken from there: as many, and none is newer.
SELECT (
  SELECT (count(*), max(received_at))
  FROM sample
  WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
    AND tag_no BETWEEN $from_tag::INTEGER AND $to_tag::INTEGER
) = (
  SELECT (count(*), max(received_at))
  FROM sample_part
  WHERE tag_no BETWEEN $from_tag::INTEGER AND $to_tag::INTEGER
) AS is_same
