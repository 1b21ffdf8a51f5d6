-- Gives tags the units that their source names, where they have none.
UPDATE tag SET unit = told.unit
FROM (SELECT unnest($tag_nos::INTEGER[]) AS tag_no, unnest($units::VARCHAR[]) AS unit) AS told
WHERE tag.tag_no = told.tag_no AND tag.unit IS NULL
