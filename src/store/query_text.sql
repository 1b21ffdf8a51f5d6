-- Gives the rows of an operator's own SELECT with every value as text, in the order it asks for.
SELECT COLUMNS(*)::VARCHAR FROM query($sql);
