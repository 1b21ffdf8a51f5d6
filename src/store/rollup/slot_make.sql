-- The quarter-hours of tags in [$from, $to) that are due.
CREATE OR REPLACE TEMP TABLE roll_slot AS
SELECT tag_no, quarter
FROM roll_due_slot
WHERE quarter >= $from AND quarter < $to;
