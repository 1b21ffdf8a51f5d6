-- SOLAR-100: 500 inverters in 20 blocks with 5 weather stations, and 20 small projects beside it.
CREATE TEMP TABLE size AS
SELECT 20454 AS last_day, getvariable('minute_days') AS minute_days, getvariable('sample_days') AS sample_days;

INSERT INTO organization VALUES ('o', 'o', 'Bench');

INSERT INTO project
SELECT n + 1, 'p' || n, 'o', 'p' || n, 'Project ' || n, NULL, 'America/Phoenix' FROM range(21) AS r(n);

INSERT INTO site
SELECT n + 1, 's' || n, n + 1, 's' || n, 'Site ' || n, 33.4, -112.1 FROM range(21) AS r(n);

INSERT INTO block SELECT 'b' || n, 1, 'b' || n, 'Block ' || n FROM range(20) AS r(n);

-- Sensors 1 to 500: inverters of the big project; 501 to 1000: 25 in each small one; then stations.
CREATE TEMP TABLE plan AS
SELECT
  n::INTEGER AS no,
  CASE WHEN n BETWEEN 501 AND 1000 THEN (n - 501) // 25 + 2 ELSE 1 END::INTEGER AS project_no,
  CASE WHEN n > 1000 THEN 'met' ELSE 'inverter' END AS component,
  CASE WHEN n > 1000 THEN 'poa_front' ELSE 'active_power' END AS measure,
  CASE WHEN n <= 500 THEN 'b' || (n - 1) // 25 END AS block_id
FROM range(1, 1006) AS r(n);

INSERT INTO device (id, site_no, key, name, type, parent_device_id, block_id)
SELECT 'd' || no, project_no, 'd' || no, 'Device ' || no, component, NULL, block_id FROM plan;

INSERT INTO tag
SELECT no, project_no, 'signal', 'D' || no || '.' || measure, NULL, 'float', NULL, 900, NULL, NULL, true, NULL
FROM plan;

INSERT INTO sensor
SELECT
  no, 'h' || no, project_no, project_no, no, 'd' || no, block_id, 'default', component, measure,
  1000, 0, 100000, 'none', NULL, 'start', NULL, true, NULL
FROM plan;

-- A sun, a factor of each sensor's own, no chance.
CREATE TEMP MACRO watts(wall, no) AS
  greatest(0, sin(pi() * (wall - 360) / 720)) * (80000 + 137 * (no % 97));

CREATE TEMP MACRO light(wall) AS wall >= 360 AND wall < 1080;

CREATE TEMP MACRO grid(days, step) AS TABLE
SELECT
  day::INTEGER AS day, no::INTEGER AS no, wall::INTEGER AS wall,
  (day * 1440 + wall + 420)::INTEGER AS minute, watts(wall, no) AS w
FROM size, range(last_day + 1 - days, last_day + 1) AS d(day), range(1, getvariable('inverters') + 1) AS s(no),
  range(0, 1440, step) AS m(wall)
ORDER BY day, no, wall;

INSERT INTO sample
SELECT no, minute * 60000000::BIGINT, minute * 60000000::BIGINT + 5000000, w / 1000, NULL, NULL, 0, 0
FROM grid(getvariable('sample_days'), 1) ORDER BY minute, no;

INSERT INTO minute
SELECT
  day, no, minute, minute * 60000000::BIGINT + 65000000, w / 1000, NULL, NULL, w / 1000, w / 1000,
  0, 0, false, 1, 0, 0
FROM grid(getvariable('sample_days'), 1);

INSERT INTO reading
SELECT day, no, minute, light(wall), w, w * 1.02, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL
FROM grid(getvariable('minute_days'), 1);

INSERT INTO quarter
SELECT
  day, no, minute // 15, light(wall), 15, w * 15, w, w, w, minute + 14, w * 15, 15, w * 15.3, w * 15.3,
  NULL, 32767, 32767, w * 15, w * 15.3, w * 15.3
FROM grid(getvariable('days'), 15);

INSERT INTO daily
SELECT
  day::INTEGER, no, light, 720, w * 720, 0, w, w, (day * 1440 + 1079)::INTEGER, w * 720,
  720, w * 734.4, w * 734.4, 720, w * 720, w * 734.4, w * 734.4, if(light, 720, NULL)
FROM (
  SELECT day, no, light, CASE WHEN light THEN watts(540, no) ELSE 0 END AS w
  FROM size, range(last_day - 364, last_day + 1) AS d(day), plan,
    (VALUES (true), (false)) AS l(light)
) ORDER BY day, no;

-- Each inverter is out for an hour on some days; losses are parts of what was expected.
INSERT INTO inverter_day (
  day, sensor_no, daylight_s, basis_s, unavailable_s, expected_wh, produced_wh, unavailable_wh,
  curtailed_wh, clipped_wh
)
SELECT
  day::INTEGER, no, 43200, 43200, CASE WHEN (day + no) % 23 = 0 THEN 3600 ELSE 0 END,
  1000000 + no, 930000 + no, CASE WHEN (day + no) % 23 = 0 THEN 30000 ELSE 0 END, 20000, 5000
FROM size, range(last_day - 364, last_day + 1) AS d(day), plan
WHERE no <= 1000
ORDER BY day, no;

INSERT INTO meta
SELECT 'rolled_to', max(received_at)::VARCHAR FROM sample
UNION ALL SELECT 'rolled_minute', (max(ts) // 60000000 + 1)::VARCHAR FROM sample;
