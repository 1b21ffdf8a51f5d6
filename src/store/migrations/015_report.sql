-- The months (YYYY-MM) of projects whose reports webhooks have told of.
CREATE TABLE report (project_no INTEGER, month VARCHAR);
