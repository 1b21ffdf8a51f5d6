-- Minutes of some sensors, each a bucket of its own; unordered, for the caller scatters them.
SELECT {columns}
FROM {readings} AS reading
WHERE
  {wanted}
  AND reading.day >= $from_day::INTEGER
  AND reading.day < $to_day::INTEGER
  AND reading.minute >= $from_minute::INTEGER
  AND reading.minute < $to_minute::INTEGER
  AND (reading.light OR NOT $light_only::BOOLEAN)
