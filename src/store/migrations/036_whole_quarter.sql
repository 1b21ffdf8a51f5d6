-- Quarter-hours of tags whose minutes are their samples: neither these nor the readings that are
-- made of them are stored. upto: the last stamp of those samples. What readings are made by is null
-- where no sensor reads the tag.
CREATE TABLE whole_quarter (
  day INTEGER,
  tag_no INTEGER,
  quarter INTEGER,
  received_at BIGINT,
  upto BIGINT,
  sensor_no INTEGER,
  sensor_day INTEGER,
  scale DOUBLE,
  "offset" DOUBLE,
  light INTEGER
);
