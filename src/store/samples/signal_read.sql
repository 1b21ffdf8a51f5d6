-- A page of signal rows that comes after others, in their order.
SELECT {row}
FROM ({entries}) AS entry
JOIN (
  SELECT unnest(tag_nos) AS tag_no, generate_subscripts(tag_nos, 1)::INTEGER - 1 AS line
  FROM (SELECT $tags::INTEGER[] AS tag_nos)
) AS line USING (tag_no)
{stored}
ORDER BY {order}
LIMIT $limit OFFSET $offset
