-- Whether the rows of a part are those that were taken from there: as many, and none has changed.
SELECT (
  SELECT (count(*), {mark})
  FROM {table} AS kept
  WHERE {at} >= $day::BIGINT * {per_day} AND {at} < ($day::BIGINT + 1) * {per_day}
    AND {owner} BETWEEN $from_no::INTEGER AND $to_no::INTEGER
) = (
  SELECT (count(*), {mark})
  FROM (SELECT * EXCLUDE (lot) FROM {table}_part) AS kept
  WHERE {owner} BETWEEN $from_no::INTEGER AND $to_no::INTEGER
) AS is_same
