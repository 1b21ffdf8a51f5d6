-- Fixes the encoding of tags by their first value.
UPDATE tag
SET encoding = $encoding::VARCHAR
WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[])) AND encoding IS NULL
