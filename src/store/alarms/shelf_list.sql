-- Shelved occurrences that return by themselves, the first to return first.
SELECT occurrence_no, shelved_until
FROM occurrence
WHERE shelved_until IS NOT NULL
ORDER BY shelved_until, occurrence_no;
