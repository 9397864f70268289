/** What a change concerns, by its kind; where it names several ids, a space separates them. */
type ChangeKind =
  /** Subject: the ids of the sessions. */
  | 'sessions-ended'
  /** Subject: the id of a user whose public fields changed, or who registered. */
  | 'user-changed'
  /** Subject: the ids of the blocker and the blocked user. */
  | 'block'
  | 'unblock'
  /** A command of the operator wrote to the database. Subject: empty. */
  | 'everything';

/** What other nodes must not find outdated: they drop what they remember of its subject. */
export interface Change {
  readonly id: string;
  readonly kind: ChangeKind;
  readonly subject: string;
}
