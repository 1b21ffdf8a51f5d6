-- Where one tag is a rate and its amount, what is sent as its model is the rate's: such an amount's
-- model was taken 60 times too large, and is worked out anew.
INSERT INTO stale
SELECT DISTINCT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.tag_no IN (
  SELECT own.tag_no
  FROM tag AS own
  JOIN tag AS model
    ON model.project_no = own.project_no AND model.sensor_tag = own.sensor_tag
    AND model.lane = 'model'
  JOIN sensor AS rate ON rate.tag_no = own.tag_no
  JOIN sensor AS amount ON amount.tag_no = own.tag_no
  WHERE (rate.measure = 'active_power'
      AND amount.measure IN ('energy', 'active_energy_delivered', 'energy_export'))
    OR (rate.measure IN ('ghi', 'poa_front', 'poa_rear')
      AND amount.measure = rate.measure || '_insolation')
);
