-- A number, or 0 where it is negative. Unlike greatest(x, 0), NULL stays NULL.
CREATE OR REPLACE TEMP MACRO pv_positive(x) AS CASE WHEN x < 0.0 THEN 0.0 ELSE x END;
