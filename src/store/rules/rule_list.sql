-- The newest version of every rule; one without valid_to is in force.
SELECT rule_no, version, site_no, key, origin, definition, author, valid_from, valid_to
FROM rule
QUALIFY row_number() OVER (PARTITION BY rule_no ORDER BY version DESC) = 1
ORDER BY site_no, key
