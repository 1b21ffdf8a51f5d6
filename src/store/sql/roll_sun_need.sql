-- The minutes for which a plane must know the sun: no irradiance was measured in it, but two of
-- the three that it can be worked out from.
SELECT DISTINCT k.plane_no, s.minute
FROM roll_sky AS s
JOIN (SELECT DISTINCT area_no, plane_no FROM roll_kind WHERE plane_no IS NOT NULL) AS k
  ON k.area_no = s.area_no
WHERE s.poa IS NULL
  AND (s.ghi IS NOT NULL)::INTEGER + (s.dni IS NOT NULL)::INTEGER + (s.dhi IS NOT NULL)::INTEGER > 1
ORDER BY k.plane_no, s.minute;
