-- Whether some tag has no sample in a minute after its first one, so that one may be carried; and
-- whether some has several in a minute, so that keeping the minutes pays.
SELECT
  coalesce(bool_or(newest + 1 < $over_minute OR newest - oldest + 1 > minutes), false) AS has_gaps,
  coalesce(bool_or(has_several), false) AS has_several
FROM (
  SELECT max(minute) AS newest, min(minute) AS oldest, count(*) AS minutes,
    bool_or(minimum <> maximum OR good_count + uncertain_count + bad_count > 1) AS has_several
  FROM roll_minute
  GROUP BY tag_no
);
