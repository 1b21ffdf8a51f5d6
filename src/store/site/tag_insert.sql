-- Records that the file of site $site_no declares the tags $tag_nos.
INSERT INTO site_tag (site_no, tag_no)
SELECT $site_no::INTEGER, unnest($tag_nos::INTEGER[]);
