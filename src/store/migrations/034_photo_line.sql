-- Photos travel between a gateway and its centre.

-- digest: SHA-256 of the bytes, null until it is needed; is_here: whether the bytes are here, or
-- come over the line; removed_at: of a shared project, when it was removed: it must not come back.
ALTER TABLE photo ADD COLUMN digest VARCHAR;
ALTER TABLE photo ADD COLUMN is_here BOOLEAN;
ALTER TABLE photo ADD COLUMN removed_at BIGINT;
UPDATE photo SET is_here = true;

-- Gateways hear once more, from the beginning, and find out what they are told of no longer.
UPDATE upstream_work SET sites = NULL;
