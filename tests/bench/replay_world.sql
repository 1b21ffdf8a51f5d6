-- A plant of 2 000 tags. The first half of its samples came minute by minute, 2 000 a commit; a
-- month later the other half came in one load, 20 000 a commit, fifty commits a second.
CREATE TEMP TABLE size AS
SELECT
  getvariable('rows')::BIGINT AS rows, rows // 2 // 2000 AS live_minutes,
  1767225600000000 AS from_us, from_us + (live_minutes + 43200) * 60000000 AS load_us;

INSERT INTO organization VALUES ('o', 'o', 'Bench');

INSERT INTO project VALUES (1, 'p0', 'o', 'p0', 'Project', NULL, 'UTC');

INSERT INTO site VALUES (1, 's0', 1, 's0', 'Site', 33.4, -112.1);

INSERT INTO tag
SELECT n, 1, 'signal', 'D' || n // 4 || '.' || n % 4, NULL, 'float', NULL, 900, NULL, NULL, true, NULL
FROM range(1, 2001) AS r(n);

CREATE TEMP MACRO samples_of(from_row, to_row) AS TABLE
SELECT
  (n % 2000 + 1)::INTEGER AS tag_no, from_us + n // 2000 * 60000000 AS ts,
  CASE
    WHEN n // 2000 < live_minutes THEN ts + 5000000
    ELSE load_us + (n - live_minutes * 2000) // 20000 * 20000
  END AS received_at,
  500 * sin(n / 1e6) + (hash(n) % 1000) / 1e3 AS value, 0 AS quality, 0 AS status_code
FROM size, range(from_row, to_row) AS r(n);

CREATE TEMP MACRO minutes_of(from_row, to_row) AS TABLE
SELECT
  (ts // 86400000000)::INTEGER AS day, tag_no, (ts // 60000000)::INTEGER AS minute,
  received_at + 60000000 AS received_at, value, value AS minimum, value AS maximum, 0 AS quality,
  0 AS status_code, false AS carried, 1 AS good_count, 0 AS uncertain_count, 0 AS bad_count
FROM samples_of(from_row, to_row);

INSERT INTO meta
SELECT 'rolled_to', (load_us + rows * 10)::VARCHAR FROM size
UNION ALL SELECT 'rolled_minute', (from_us // 60000000 + rows // 2000)::VARCHAR FROM size;
