-- Quarter-hours of tags that are due: the touched ones and those that their values reach.
CREATE OR REPLACE TEMP TABLE roll_due_slot AS
SELECT tag_no, unnest(range(quarter, until))::INTEGER AS quarter
FROM (
  SELECT tag_no, quarter,
    least(
      lead(quarter) OVER (PARTITION BY tag_no ORDER BY quarter), quarter + reach + 1, $end_quarter
    ) AS until
  FROM roll_touch
  JOIN roll_tag USING (tag_no)
);
