-- Adds the expected power of nodes that sum, those of $stage: where that of every part is known,
-- and up to their limit. Beside it, what is clipped below and by the limit.
INSERT INTO roll_yield
SELECT g.node_no, s.minute, s.quarter, least(s.power, g.limit_w) AS model,
  s.clipped + greatest(s.power - g.limit_w, 0) AS clipped
FROM (
  SELECT h.node_no, y.minute, y.quarter, sum(h.factor * y.model) AS power,
    coalesce(sum(h.factor * y.clipped), 0) AS clipped, count(*) AS parts
  FROM roll_yield AS y
  JOIN roll_share AS h ON h.part_no = y.node_no
  WHERE h.node_no IN (SELECT node_no FROM roll_grid WHERE stage = $stage)
  GROUP BY h.node_no, y.minute, y.quarter
) AS s
JOIN roll_grid AS g ON g.node_no = s.node_no AND g.parts = s.parts;
