-- Changes and deletes stored rows in place. In the order in which they lie: each time the library
-- comes back to a piece of the table, it goes through all that changed of it before.
MERGE INTO {table} AS t
USING (
  SELECT s.rowid AS place, c.*
  FROM roll_{name}_change AS c
  JOIN {table} AS s USING ({key})
  WHERE c.op <> 'insert' AND s.{within}
  ORDER BY place
) AS c
ON t.rowid = c.place AND t.{within}
WHEN MATCHED AND c.op = 'delete' THEN DELETE
WHEN MATCHED THEN UPDATE SET {changes};
