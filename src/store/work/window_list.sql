-- The spans in which a project's devices were worked on that reach into a range, the oldest first.
SELECT w.device_id, w.work_type, w.from_us, coalesce(w.to_us, $to_us::BIGINT) AS to_us, o.number
FROM work_window AS w
JOIN work_order AS o USING (work_order_no)
WHERE
  w.project_no = $project_no::INTEGER AND w.from_us < $to_us::BIGINT
  AND coalesce(w.to_us, $to_us::BIGINT) > $from_us::BIGINT
ORDER BY w.from_us, w.work_order_no, w.device_id
