-- Removes the quarter-hours of the sensors $sensor_nos.
DELETE FROM quarter WHERE sensor_no IN (SELECT unnest($sensor_nos::INTEGER[]));
