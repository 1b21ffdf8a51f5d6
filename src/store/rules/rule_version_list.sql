-- Every version of one rule of a site, the newest first.
SELECT rule_no, version, site_no, key, origin, definition, author, valid_from, valid_to
FROM rule
WHERE site_no = $site_no AND key = $key
ORDER BY version DESC
