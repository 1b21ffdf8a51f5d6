-- An empty list of the samples' windows that jobs read.
CREATE OR REPLACE TEMP TABLE roll_window (tag_no INTEGER, from_us BIGINT, to_us BIGINT);
