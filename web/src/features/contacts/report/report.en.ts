export const report = {
  title: (name: string) => `Report ${name}`,
  says: 'The people who run this service will read it. The person you report isn’t told.',
  reason: 'What is wrong?',
  reasons: {
    spam: 'Spam',
    abuse: 'Harassment or threats',
    impersonation: 'Pretending to be someone else',
    other: 'Something else',
  },
  messages: 'Messages to include',
  text: 'Details (optional)',
  block: (name: string) => `Also block ${name}`,
  send: 'Send report',
  sent: 'Thanks for your report',
  sentSays: 'We’ll look into it.',
  blocked: (name: string) => `${name} is blocked.`,
  tooMany: 'You’ve sent many reports today. Try again tomorrow.',
};
