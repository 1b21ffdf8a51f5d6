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
  JOIN (
    SELECT tag_no,
      measure IN (
        'energy', 'energy_setpoint', 'energy_export', 'energy_import', 'active_energy_delivered',
        'active_energy_received', 'apparent_energy', 'reactive_energy', 'ghi_insolation',
        'poa_front_insolation', 'poa_rear_insolation', 'ppa_revenue', 'precipitation'
      ) AS is_amount
    FROM sensor
  ) AS sensor ON sensor.tag_no = own.tag_no
  GROUP BY own.tag_no
  HAVING bool_or(is_amount) AND NOT bool_and(is_amount)
);
