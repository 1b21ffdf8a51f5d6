-- Stores new versions of rules of one site, in force from now.
INSERT INTO rule (
  rule_no, version, site_no, key, origin, definition, author, valid_from, valid_to
)
SELECT
  unnest($rule_nos::INTEGER[]), unnest($versions::INTEGER[]), $site_no::INTEGER,
  unnest($keys::VARCHAR[]), $origin, unnest($definitions::VARCHAR[]), $author,
  $valid_from::BIGINT, NULL
