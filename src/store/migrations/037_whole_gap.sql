-- Quarter-hours without a sample in each minute are whole, too, where the value before is carried
-- into each gap. seen: bit i where minute i has a sample; null where each minute has one.
ALTER TABLE whole_quarter ADD COLUMN seen INTEGER;
