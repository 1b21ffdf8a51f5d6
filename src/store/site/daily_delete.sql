-- Removes the local days of the sensors $sensor_nos.
DELETE FROM daily WHERE sensor_no IN (SELECT unnest($sensor_nos::INTEGER[]));
