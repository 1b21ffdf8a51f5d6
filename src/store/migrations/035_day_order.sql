-- What is rolled up is put in order as samples are: of which table a day lies so, and how many rows
-- it had then.
CREATE TABLE day_order (name VARCHAR, day INTEGER, rows BIGINT);

INSERT INTO day_order
SELECT 'sample', day, rows
FROM sample_order;

DROP TABLE sample_order;
