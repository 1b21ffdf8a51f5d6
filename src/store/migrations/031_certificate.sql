-- The files of the folder `certificates`, but for what is rejected: a copy for backups. content is
-- base64, sealed.
CREATE TABLE certificate_file (name VARCHAR, content VARCHAR);
