-- Removes the readings of the sensors $sensor_nos.
DELETE FROM reading WHERE sensor_no IN (SELECT unnest($sensor_nos::INTEGER[]));
