-- Since when a subscription has had nothing but failures, for each whose last attempt failed.
WITH attempt AS (
  SELECT
    d.subscription_no, a.sent_at,
    coalesce(a.status BETWEEN 200 AND 299, FALSE)::BOOLEAN AS is_acknowledged
  FROM delivery_attempt AS a
  JOIN delivery AS d ON d.delivery_no = a.delivery_no
),
success AS (
  SELECT subscription_no, max(sent_at) AS last_at
  FROM attempt
  WHERE is_acknowledged
  GROUP BY subscription_no
)
SELECT a.subscription_no, min(a.sent_at)::BIGINT AS since
FROM attempt AS a
LEFT JOIN success AS s ON s.subscription_no = a.subscription_no
WHERE a.sent_at > coalesce(s.last_at, 0)
GROUP BY a.subscription_no
ORDER BY a.subscription_no
