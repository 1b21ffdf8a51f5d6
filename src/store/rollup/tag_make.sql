-- Every tag with how many minutes its value is carried, and how many quarter-hours a sample of it
-- can reach: carried, or looked back at by what is expected. What the weather carries is judged by
-- the 30 minutes before it.
CREATE OR REPLACE TEMP TABLE roll_tag AS
SELECT tag_no, project_no, carry,
  CASE
    WHEN tag_no IN (SELECT tag_no FROM roll_weather) THEN (carry + 14) // 15 + 2
    WHEN tag_no IN (SELECT tag_no FROM roll_feed) THEN greatest((carry + 14) // 15, 1)
    ELSE (carry + 14) // 15
  END AS reach
FROM (
  SELECT tag_no, project_no,
    CASE lane WHEN 'model' THEN $model_carry_s ELSE carry_s END // 60 AS carry
  FROM tag
);
