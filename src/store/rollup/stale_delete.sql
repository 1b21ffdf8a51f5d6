-- Forgets the stale days that were taken.
DELETE FROM stale
WHERE EXISTS (
  SELECT 1 FROM roll_stale WHERE roll_stale.tag_no = stale.tag_no AND roll_stale.day = stale.day
);
