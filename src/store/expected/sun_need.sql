-- The minutes for which a plane must know the sun: no irradiance was measured in it, but two of
-- the three that it can be worked out from.
SELECT DISTINCT c.plane_no, s.minute
FROM roll_sky AS s
JOIN roll_cell AS c ON c.area_no = s.area_no AND c.plane_no IS NOT NULL
WHERE s.poa IS NULL
  AND (s.ghi IS NOT NULL)::INTEGER + (s.dni IS NOT NULL)::INTEGER + (s.dhi IS NOT NULL)::INTEGER > 1
ORDER BY c.plane_no, s.minute;
