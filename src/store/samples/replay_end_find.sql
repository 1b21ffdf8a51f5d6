-- A stamp at which a page of a replay may end, of the rows that it goes on with.
WITH stored AS (
  SELECT entry.received_at
  {rows}
)
{read}
