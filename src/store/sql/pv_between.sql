-- The second number of a list of points at x: straight between two points, flat outside.
CREATE OR REPLACE TEMP MACRO pv_between(x, points) AS
  CASE
    WHEN x <= points[1][1] THEN points[1][2]
    WHEN x >= points[-1][1] THEN points[-1][2]
    ELSE pv_line(x, points, len(list_filter(points, lambda point: point[1] <= x)))
  END;
