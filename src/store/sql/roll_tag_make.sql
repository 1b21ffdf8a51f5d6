-- Every tag with how many minutes its value is carried, and how many quarter-hours a sample of it
-- can reach: carried, or looked back at by what is expected (30 minutes of the weather).
CREATE OR REPLACE TEMP TABLE roll_tag AS
SELECT tag_no, project_no, carry,
  greatest(
    (carry + 14) // 15,
    CASE WHEN tag_no NOT IN (SELECT tag_no FROM roll_feed) THEN 0
      WHEN tag_no IN (SELECT tag_no FROM roll_weather) THEN 2 ELSE 1 END
  ) AS reach
FROM (
  SELECT tag_no, project_no,
    CASE lane WHEN 'model' THEN $model_carry_s ELSE carry_s END // 60 AS carry
  FROM tag
);
