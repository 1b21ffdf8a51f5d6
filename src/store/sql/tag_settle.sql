-- Fixes the encoding of tags by their first value.
UPDATE tag
SET encoding = $encoding::VARCHAR
WHERE list_contains($tag_nos::INTEGER[], tag_no) AND encoding IS NULL
