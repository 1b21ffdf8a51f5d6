-- Whether samples can change an irradiance before an edge: one came late, a line leads over it, or
-- its value goes on. Mostly none does, and the longer weather_touch.sql is not run.
SELECT coalesce(bool_or(late OR first_minute - last_minute > 1 OR first = last), false) AS found
FROM (
  SELECT bool_or(s.received_at > $stored_us::BIGINT AND s.minute < $since_minute::INTEGER) AS late,
    max(s.minute) FILTER (s.minute < e.minute) AS last_minute,
    arg_max(s.number, s.ts) FILTER (s.minute < e.minute) AS last,
    min(s.minute) FILTER (s.minute >= e.minute) AS first_minute,
    arg_min(s.number, s.ts) FILTER (s.minute >= e.minute) AS first
  FROM (
    SELECT tag_no, ts, (ts // 60000000)::INTEGER AS minute, received_at,
      coalesce(value, value_int) AS number
    FROM sample
    WHERE ts >= $from_us::BIGINT AND ts < $to_us::BIGINT
  ) AS s
  JOIN roll_edge AS e ON e.tag_no = s.tag_no
    AND s.minute BETWEEN e.minute - 60 - e.carry AND e.minute + 30 + e.carry
  GROUP BY e.edge_no
);
