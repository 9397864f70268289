export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // The device's own word for itself, which outlives the subscription; what its worker told of the notification.
  `alter table push_log add column device_name ${type.text} not null default ''`,
  `alter table push_log add column shown_at ${type.bigint}`,
  `alter table push_log add column clicked_at ${type.bigint}`,

  // What was told before the entry was there.
  `create table push_early_receipts (
    log_id ${type.text} primary key not null,
    shown_at ${type.bigint} not null,
    clicked_at ${type.bigint}
  ) ${type.strict}`,
];
