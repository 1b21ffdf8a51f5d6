-- Takes away where rules stand on tags: each rule of a list on the tag beside it.
DELETE FROM rule_state
USING (
  SELECT
    unnest(string_split($rule_nos, ' ')::INTEGER[]) AS rule_no,
    unnest(string_split($tag_nos, ' ')::INTEGER[]) AS tag_no
) AS gone
WHERE rule_state.rule_no = gone.rule_no AND rule_state.tag_no = gone.tag_no
