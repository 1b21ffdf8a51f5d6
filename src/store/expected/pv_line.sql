-- The second number at x of the line through two neighbours of a list of points.
CREATE OR REPLACE TEMP MACRO pv_line(x, points, i) AS
  points[i][2]
  + (x - points[i][1]) / (points[i + 1][1] - points[i][1]) * (points[i + 1][2] - points[i][2]);
