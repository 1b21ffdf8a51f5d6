-- Some signal rows as numbers, a page of them in an order.
SELECT
  line.line, entry.resolution, entry.ts, entry.received_at, entry.value, entry.value_int,
  entry.value_str, entry.quality::INTEGER AS quality, entry.status_code, entry.carried,
  entry.good_count, entry.uncertain_count, entry.bad_count
{rows}
ORDER BY {order}
LIMIT $limit OFFSET $offset
