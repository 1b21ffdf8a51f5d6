-- How long data are kept, what is gone, and how the disk fills.

-- What site files say of tags: a name with * for any text, a lane or null; texts such as 400d.
CREATE TABLE keep_rule (
  id VARCHAR, site_no INTEGER, place INTEGER, tags VARCHAR, lane VARCHAR, keep_samples VARCHAR,
  keep_forecasts VARCHAR, keep_minutes VARCHAR, keep_quarters VARCHAR
);

-- Before which day (UTC, since 1970) a tag's data are gone; 0 where nothing is.
CREATE TABLE horizon (
  tag_no INTEGER, samples INTEGER, forecasts INTEGER, minutes INTEGER, quarters INTEGER
);

-- What the database used of its file, once a day (UTC).
CREATE TABLE disk_use (day INTEGER, used_bytes BIGINT);
