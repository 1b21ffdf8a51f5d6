-- The stamps of the writes after $after, and how many samples each stored.
SELECT received_at, count(*)::INTEGER AS rows
FROM sample
WHERE received_at > $after
GROUP BY received_at
ORDER BY received_at;
