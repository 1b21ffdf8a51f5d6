-- Gives the rows of an operator's own SELECT as JSON objects, in the order it asks for.
SELECT to_json(answer)::VARCHAR AS line FROM query($sql) AS answer;
