export const statements = (): string[] => [
  // Every event paid for it, and only the hourly clean-up read it, which now goes from user to user.
  'drop index inbox_by_age',
];
