-- Matched figures: sums over the minutes in which both a measured and an expected value exist.

-- storage: the part of `model` that is measured power of storage below a meter or a system.
-- span_before, span_after: how many minutes before and after this one the readings of a counter lie
-- that its amount comes from; null for what is no counter, 0 where they lie close. broken: its
-- amount can't be matched, for its readings lie too far apart, or the model misses some minute
-- between them; else null.
ALTER TABLE reading ADD COLUMN storage DOUBLE;
ALTER TABLE reading ADD COLUMN span_before INTEGER;
ALTER TABLE reading ADD COLUMN span_after INTEGER;
ALTER TABLE reading ADD COLUMN broken BOOLEAN;

-- Bit i of heard: minute i of the quarter-hour has a value that can be matched; of modelled: an
-- expected one; both null where nothing is expected. Matched sums leave storage out.
ALTER TABLE quarter ADD COLUMN heard INTEGER;
ALTER TABLE quarter ADD COLUMN modelled INTEGER;
ALTER TABLE quarter ADD COLUMN value_matched DOUBLE;
ALTER TABLE quarter ADD COLUMN model_matched DOUBLE;
ALTER TABLE quarter ADD COLUMN model_setpoint_matched DOUBLE;

-- matched_n: the minutes that the matched sums are of. covered: the minutes of daylight that they
-- stand for, as seldom as the sensor sends.
ALTER TABLE daily ADD COLUMN matched_n INTEGER;
ALTER TABLE daily ADD COLUMN value_matched DOUBLE;
ALTER TABLE daily ADD COLUMN model_matched DOUBLE;
ALTER TABLE daily ADD COLUMN model_setpoint_matched DOUBLE;
ALTER TABLE daily ADD COLUMN covered INTEGER;

-- The least distance, in minutes, between two minutes of a quarter-hour that have a value, by their
-- bits; 15 where there is one alone.
CREATE OR REPLACE MACRO spacing_of(heard) AS CASE
  WHEN heard & (heard >> 1) > 0 THEN 1
  WHEN heard & (heard >> 2) > 0 THEN 2
  WHEN heard & (heard >> 3) > 0 THEN 3
  WHEN heard & (heard >> 4) > 0 THEN 4
  WHEN heard & (heard >> 5) > 0 THEN 5
  WHEN heard & (heard >> 6) > 0 THEN 6
  WHEN heard & (heard >> 7) > 0 THEN 7
  WHEN heard & (heard >> 8) > 0 THEN 8
  WHEN heard & (heard >> 9) > 0 THEN 9
  WHEN heard & (heard >> 10) > 0 THEN 10
  WHEN heard & (heard >> 11) > 0 THEN 11
  WHEN heard & (heard >> 12) > 0 THEN 12
  WHEN heard & (heard >> 13) > 0 THEN 13
  WHEN heard & (heard >> 14) > 0 THEN 14
  WHEN heard > 0 THEN 15
END;

-- The bits of the quarter-hour's minutes that values stand for, each until as many minutes later as
-- values usually lie apart; `before` are the bits of the quarter-hour before. Runs of bits double:
-- 1, 2, 4, 8, 16, as far as the spacing goes.
CREATE OR REPLACE MACRO smear_bits(bits, minutes) AS bits | (bits << greatest(minutes, 0));
CREATE OR REPLACE MACRO cover_of(before, heard, spacing) AS (
  smear_bits(
    smear_bits(
      smear_bits(
        smear_bits(
          coalesce(before, 0)::BIGINT | (coalesce(heard, 0)::BIGINT << 15), least(spacing - 1, 1)
        ),
        least(spacing - 2, 2)
      ),
      least(spacing - 4, 4)
    ),
    least(spacing - 8, 8)
  ) >> 15
) & 32767;

-- What has, or had, expected values is worked out anew.
INSERT INTO stale
SELECT DISTINCT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE q.model_n > 0;
