export const statements = (type: { text: string }): string[] => [
  // The language of a device's notifications, `en` or `zh`; '' where it is not known, until the device checks its subscription.
  `alter table push_subscriptions add column language ${type.text} not null default ''`,
];
