-- Ends the staged windows, which go on; none before its begin, where the clock was set back.
UPDATE work_window SET to_us = greatest(s.to_us, work_window.from_us)
FROM work_window_stage AS s
WHERE
  work_window.work_order_no = s.work_order_no AND work_window.device_id = s.device_id
  AND work_window.to_us IS NULL
