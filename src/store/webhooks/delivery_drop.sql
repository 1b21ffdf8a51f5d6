-- Takes out deliveries that were settled, one way or the other, long ago.
DELETE FROM delivery
WHERE state IN ('acknowledged', 'dead') AND settled_at < $before_us::BIGINT
