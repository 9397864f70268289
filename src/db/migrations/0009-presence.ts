export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // Epoch milliseconds: when the user went offline or, after a crash, when he had come.
  `create table last_seen (
    user_id ${type.text} primary key not null,
    at ${type.bigint} not null
  ) ${type.strict}`,
];
