-- Where rules stand, by rule, tag and subject.
SELECT
  rule_no, tag_no, subject, phase, since_us, since_value, source_us, peak_value, peak_at, bits,
  turned_us, occurrence_no
FROM rule_state
ORDER BY rule_no, tag_no, subject
