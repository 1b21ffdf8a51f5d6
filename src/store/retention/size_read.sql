-- Rows of each table that grows, and bytes of the database's file and memory; one row a figure.
SELECT 'rows' AS figure, table_name AS of, estimated_size::DOUBLE AS value
FROM duckdb_tables()
WHERE table_name IN ('sample', 'forecast', 'minute', 'reading', 'whole_quarter', 'quarter', 'daily')
UNION ALL
SELECT 'bytes', 'file', (block_size * total_blocks)::DOUBLE
FROM pragma_database_size()
WHERE database_name = current_database()
UNION ALL
SELECT 'bytes', 'memory', sum(memory_usage_bytes)::DOUBLE
FROM duckdb_memory()
ORDER BY figure, of
