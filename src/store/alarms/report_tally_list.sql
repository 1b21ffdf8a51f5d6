-- Each site's counts, and how long its alarms took to be claimed and to clear, in seconds.
SELECT
  site_no, annunciated, inhibited, late, fleeting, claimed, cleared,
  claim_s[1] AS claim_median_s, claim_s[2] AS claim_p90_s,
  clear_s[1] AS clear_median_s, clear_s[2] AS clear_p90_s
FROM (
  SELECT
    site_no,
    (count(*) FILTER (is_shown))::INTEGER AS annunciated,
    (count(*) FILTER (is_inhibited))::INTEGER AS inhibited,
    (count(*) FILTER (is_late))::INTEGER AS late,
    (count(*) FILTER (is_shown AND clear_s < $fleeting_s::INTEGER))::INTEGER AS fleeting,
    (count(claim_s) FILTER (is_shown))::INTEGER AS claimed,
    (count(clear_s) FILTER (is_shown))::INTEGER AS cleared,
    quantile_cont(claim_s, [0.5, 0.9]) FILTER (is_shown) AS claim_s,
    quantile_cont(clear_s, [0.5, 0.9]) FILTER (is_shown) AS clear_s
  FROM (
    SELECT
      site_no, is_late, is_inhibited, NOT is_late AND NOT is_inhibited AS is_shown,
      CASE WHEN claimed_at < raised_at THEN 0 ELSE (claimed_at - raised_at)::DOUBLE / 1e6 END
        AS claim_s,
      (cleared_at - raised_at)::DOUBLE / 1e6 AS clear_s
    FROM report_alarm
  )
  GROUP BY site_no
)
ORDER BY site_no;
