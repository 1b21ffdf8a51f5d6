-- Counts a table's rows and digests them all, whatever their order.
SELECT count(*)::BIGINT AS rows, coalesce(bit_xor(hash(row)), 0)::VARCHAR AS digest
FROM query_table($table) AS row
ORDER BY rows;
