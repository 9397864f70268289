/** Names are passed in isolated, so that their text direction does not affect the sentence. */
export const requests = {
  title: 'Message requests',
  says: 'These people aren’t your friends. They won’t know that you’ve read their messages until you accept.',
  none: 'No message requests',
  noneSays: 'When someone who isn’t your friend writes to you, you’ll decide here.',
  settings: 'Who can message you',
  noneOpen: 'Select a request',
  cannotLoad: 'Couldn’t load the requests',
  needConnection: 'You’ll see your requests when you’re back online.',

  ask: (name: string) => `Let ${name} message you?`,
  askSays: 'They won’t know that you’ve read this until you accept.',
  accept: 'Accept',
  decline: 'Decline',
  block: 'Block',
  declined: (name: string) => `You declined ${name}. They aren’t told.`,
  reported: (name: string) => `You reported and blocked ${name}.`,
  answered: 'This request isn’t waiting any more.',
};
