-- Days (UTC, since 1970) whose samples lie by tag and time, and how many there were then.
CREATE TABLE sample_order (day INTEGER, rows BIGINT);
