-- Versions of site files that a centre publishes for gateways, and how they go at a gateway.

-- At the centre. content is the file's JSON, packed by zstd, in base64; digest is SHA-256 of the
-- JSON; gateway is the name of the only token that gets it.
CREATE TABLE site_version (
  project_no INTEGER, version INTEGER, site_key VARCHAR, digest VARCHAR, content VARCHAR,
  remap BOOLEAN, author VARCHAR, published_at BIGINT
);

-- At the centre: sites whose sources a gateway reads, and never the centre.
CREATE TABLE site_gateway (project_no INTEGER, site_key VARCHAR, gateway VARCHAR);

-- At a gateway: versions that were pulled. before is the site file that was in force, packed
-- likewise; awaited is what has to be read again while a version is tried.
CREATE TABLE pulled_version (
  site_key VARCHAR, version INTEGER, digest VARCHAR, content VARCHAR, remap BOOLEAN,
  author VARCHAR, published_at BIGINT, state VARCHAR, reason VARCHAR, changed_at BIGINT,
  before VARCHAR, before_version INTEGER, awaited VARCHAR, starts INTEGER, applied VARCHAR
);

-- At the centre: codes that let a gateway in, by SHA-256. request is JSON of the token to be made.
CREATE TABLE gateway_code (
  digest VARCHAR, organization_id VARCHAR, request VARCHAR, expires_at BIGINT
);
