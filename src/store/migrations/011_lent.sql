-- Which expected values stand on another site's weather: of each quarter-hour that has any, the
-- minutes as bits (bit i for minute i).
CREATE TABLE lent_quarter (day INTEGER, sensor_no INTEGER, quarter INTEGER, bits INTEGER);
