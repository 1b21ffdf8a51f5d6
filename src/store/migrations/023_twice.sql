-- What a large pass of the roll-up had stored could be hidden from the next ones until a
-- checkpoint; they stored minutes and readings once more then. The newer row of two stays, and its
-- day is worked out anew.

-- 64 minutes of a tag or a sensor at a time: it has one row more than there are minutes in them.
CREATE TEMP TABLE minute_twice AS
SELECT tag_no, minute // 64 AS part
FROM minute
GROUP BY tag_no, part
HAVING count(*) > bit_count(bit_or(1::UBIGINT << (minute % 64)::UBIGINT));

CREATE TEMP TABLE reading_twice AS
SELECT sensor_no, minute // 64 AS part
FROM reading
GROUP BY sensor_no, part
HAVING count(*) > bit_count(bit_or(1::UBIGINT << (minute % 64)::UBIGINT));

DELETE FROM minute
WHERE rowid IN (
  SELECT rowid
  FROM (
    SELECT m.rowid,
      row_number() OVER (
        PARTITION BY m.tag_no, m.minute ORDER BY m.received_at DESC, m.rowid DESC
      ) AS place
    FROM minute AS m
    SEMI JOIN minute_twice AS t ON t.tag_no = m.tag_no AND t.part = m.minute // 64
  )
  WHERE place > 1
);

DELETE FROM reading
WHERE rowid IN (
  SELECT rowid
  FROM (
    SELECT r.rowid,
      row_number() OVER (PARTITION BY r.sensor_no, r.minute ORDER BY r.rowid DESC) AS place
    FROM reading AS r
    SEMI JOIN reading_twice AS t ON t.sensor_no = r.sensor_no AND t.part = r.minute // 64
  )
  WHERE place > 1
);

INSERT INTO stale
SELECT DISTINCT tag_no, (part * 64 + edge.minute) // 1440
FROM (
  SELECT tag_no, part FROM minute_twice
  UNION ALL
  SELECT s.tag_no, t.part FROM reading_twice AS t JOIN sensor AS s USING (sensor_no)
)
CROSS JOIN (VALUES (0), (63)) AS edge (minute);

DROP TABLE minute_twice;
DROP TABLE reading_twice;
