-- What people want a destination to be sent again, by when they did: rows of a tag that were set
-- aside, from_us and to_us the times of the first and the last; and where tag_no is null, stamps
-- of storing, [from_us, to_us), that wait for such rows alone.
CREATE TABLE upstream_again (
  destination_no INTEGER, asked_at BIGINT, tag_no INTEGER, from_us BIGINT, to_us BIGINT
);
