-- Stores when the tokens $ids were last used: item i of $used_at is that of item i of $ids.
UPDATE token SET last_used_at = used.at
FROM (
  SELECT unnest($ids::VARCHAR[]) AS id, unnest($used_at::BIGINT[]) AS at
) AS used
WHERE token.id = used.id;
