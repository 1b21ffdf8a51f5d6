// What a centre knows of a tag that comes by a gateway: up to when its silence is no lost line.

/** Up to when a tag's gateway has told what it stored, in microseconds since 1970 UTC. */
export type TagNews = {
  /** All that it stored before is here ... */
  readonly told_us: number;
  /** ... but for what it stored in [backlog_from_us, backlog_to_us); null: nothing waits. */
  readonly backlog_from_us: number | null;
  readonly backlog_to_us: number | null;
};

/** Up to when it is known that a tag sent nothing after its newest value here, of `before_us`. */
export function knownSilentUs(
  { told_us, backlog_from_us, backlog_to_us }: TagNews,
  before_us: number,
): number {
  const may_wait = backlog_to_us !== null && before_us < backlog_to_us;
  return may_wait ? Math.min(told_us, backlog_from_us!) : told_us;
}

/** The same where a newer value has come, of which what was stored later comes later, too. */
export function knownSilentBefore(news: TagNews, before_us: number): number {
  const { backlog_to_us } = news;
  const may_wait = backlog_to_us !== null && before_us < backlog_to_us;
  return may_wait ? knownSilentUs(news, before_us) : Infinity;
}
