-- What the service reads by itself. definition is JSON of model/sources/form.ts; origin says where
-- it is declared: site_file or api.
CREATE TABLE source (
  id VARCHAR, site_no INTEGER, key VARCHAR, origin VARCHAR, definition VARCHAR, author VARCHAR
);
