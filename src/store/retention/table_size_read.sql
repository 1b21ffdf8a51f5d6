-- The rows that a table stands for, and the bytes of its blocks in the file.
SELECT (SELECT {counted} FROM {table})::BIGINT AS rows,
  (
    SELECT count(DISTINCT block)
    FROM (
      SELECT unnest(list_append(additional_block_ids, block_id)) AS block
      FROM pragma_storage_info('{table}')
    )
    WHERE block >= 0
  )::BIGINT * (SELECT max(block_size) FROM pragma_database_size())::BIGINT AS bytes
