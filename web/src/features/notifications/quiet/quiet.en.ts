/** Texts of the quiet hours. */
export const quiet = {
  title: 'Quiet hours',
  says: 'Nothing rings during quiet hours. When they end, you’re notified once of what came in the meantime.',
  once: 'Quiet for now',
  onceSays: 'Just this once, starting now.',
  tomorrow: 'Until tomorrow 8:00',
  /** @param time such as `Saturday, Nov 28, 8:00 AM` */
  until: (time: string) => `Quiet until ${time}`,
  endNow: 'End now',
  weekly: 'Every week',
  kinds: { off: 'Off', nights: 'Nights', own: 'Your own times' },
  nightsSays: 'Every day from 22:00 to 07:00.',
  /** @param zone such as Europe/Berlin */
  otherZone: (zone: string) => `These are times in ${zone}.`,
  useZone: (zone: string) => `Use times in ${zone}`,
  window: (n: number) => `Time ${n}`,
  from: 'From',
  to: 'To',
  nextDay: 'Ends on the next day.',
  add: 'Add another time',
  remove: 'Remove',
  removeOf: (n: number) => `Remove time ${n}`,
  save: 'Save',
  saving: 'Saving…',
  daysMissing: 'Choose at least one day.',
  timeMissing: 'Enter a time.',
  timesEqual: 'Choose two different times.',
};
