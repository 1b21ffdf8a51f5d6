-- An empty list of quarter-hours with their local day and the mask of their daylight minutes.
CREATE OR REPLACE TEMP TABLE roll_day (
  project_no INTEGER, site_no INTEGER, quarter INTEGER, day INTEGER, light INTEGER
);
