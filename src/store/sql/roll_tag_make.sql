-- Every tag with how many minutes its value is carried and how many quarter-hours that can reach.
CREATE OR REPLACE TEMP TABLE roll_tag AS
SELECT tag_no, project_no, carry, (carry + 14) // 15 AS reach
FROM (
  SELECT tag_no, project_no,
    CASE lane WHEN 'model' THEN $model_carry_s ELSE carry_s END // 60 AS carry
  FROM tag
);
