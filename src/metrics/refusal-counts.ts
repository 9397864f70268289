/** The limits that have a series of their own: those of the settings, and words that docs/interface.md and docs/protocol.md describe. */
const LIMITS: readonly string[] = [
  'api',
  'auth',
  'keys',
  'account',
  'overloaded',
  'too_many_friend_requests',
  'too_many_messages',
  'too_many_open_requests',
  'too_many_requests_to_user',
  'too_many_syncs',
  'too_many_test_sends',
  'too_many_watches',
];

/** How much each limit refused, and as `other` all that have the word of another limit. @param totals `refusals` of the security log */
export function refusalsByLimit(totals: ReadonlyMap<string, number>): Record<string, number> {
  const others = [...totals].filter(([name]) => !LIMITS.includes(name));
  return {
    ...Object.fromEntries(LIMITS.map((name) => [name, totals.get(name) ?? 0])),
    other: others.reduce((sum, [, count]) => sum + count, 0),
  };
}
