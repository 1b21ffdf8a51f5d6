-- Prints a SELECT's rows as JSON, in the order that it asks for.
COPY (SELECT * FROM query($sql)) TO '/dev/stdout' (FORMAT json);
