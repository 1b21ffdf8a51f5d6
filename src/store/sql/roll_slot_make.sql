-- Quarter-hours of tags to be worked out: the touched ones and those that carried values reach.
CREATE OR REPLACE TEMP TABLE roll_slot AS
SELECT tag_no, unnest(range(quarter, until))::INTEGER AS quarter
FROM (
  SELECT tag_no, quarter,
    least(
      lead(quarter) OVER (PARTITION BY tag_no ORDER BY quarter), quarter + reach + 1, $end_quarter
    ) AS until
  FROM roll_touch
  JOIN roll_tag USING (tag_no)
);
