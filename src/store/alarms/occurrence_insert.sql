-- Stores the staged occurrences as new ones; by name, as the stage has all the columns but one.
INSERT INTO occurrence BY NAME
SELECT *, (md5_number_lower(occurrence_id) >> 1)::BIGINT AS id_hash
FROM occurrence_stage
ORDER BY occurrence_no
