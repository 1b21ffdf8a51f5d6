-- Takes the oldest stale days of tags out for this pass.
CREATE OR REPLACE TEMP TABLE roll_stale AS
SELECT DISTINCT tag_no, day
FROM stale
ORDER BY day, tag_no
LIMIT $days;
