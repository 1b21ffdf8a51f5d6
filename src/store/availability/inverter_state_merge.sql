-- Changes and deletes stored states, in place.
MERGE INTO inverter_state AS t
USING (
  SELECT op, day, sensor_no, from_us, to_us, state, evidence, detail, unavailable
  FROM inverter_state_change
  WHERE op <> 'insert'
) AS c
ON t.day = c.day AND t.sensor_no = c.sensor_no AND t.from_us = c.from_us
  AND t.day BETWEEN $from_day AND $to_day
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET
  to_us = c.to_us, state = c.state, evidence = c.evidence, detail = c.detail,
  unavailable = c.unavailable;
