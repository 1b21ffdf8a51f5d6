-- Ends the versions in force of rules.
UPDATE rule SET valid_to = $valid_to::BIGINT
WHERE valid_to IS NULL AND rule_no IN (SELECT unnest($rule_nos::INTEGER[]))
