-- Entries of signals in no order: samples of tags, their minutes, or both.
SELECT {row}
{rows}
{stored}
LIMIT $most
