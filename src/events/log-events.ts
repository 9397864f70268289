/** The events of a user's log (docs/protocol.md, The log). Presence and typing are not among them: they are only ever now. */
export type InboxEventName =
  | 'message'
  | 'marked'
  | 'friend'
  | 'block'
  | 'unblock'
  | 'profile'
  | 'settings'
  | 'sessions'
  | 'push';

export interface InboxEvent {
  /** 1, 2, 3 .. for each user, without gaps. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly event: InboxEventName;
  readonly data: object;
}
