-- Stores a call of the inbound sync that was applied.
INSERT INTO sync_call (project_no, delivery_id, received_at, answer)
VALUES ($project_no, $delivery_id, $received_at::BIGINT, $answer);
