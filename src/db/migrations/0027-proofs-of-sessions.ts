// Marked as not additive, although it only adds a column: nodes of version 0.2 cannot read the messages that nodes exchange since, so
// the first new node waits until they have ended.
export const statements = (type: { text: string }): string[] => [
  // The session that showed or got the proof first. Null for the proof of a password link, which no session has shown yet, and for
  // earlier proofs, whose sessions are not known: the next session that shows one takes it.
  `alter table device_proofs add column session_id ${type.text}`,
];
