/** Names are passed in isolated, so that their text direction does not affect the sentence. */
export const questions = {
  removeAsk: (name: string) => `Remove ${name} from your friends?`,
  removeSays: 'You can still message each other. They’ll see that you’re no longer friends.',
  removed: (name: string) => `${name} removed.`,
  blockAsk: (name: string) => `Block ${name}?`,
  blockSays: [
    'They can’t message you, send friend requests or trigger notifications on any of your devices.',
    'You’ll appear offline to each other, and you can’t message them either.',
    'They won’t be notified. You keep the messages so far.',
  ],
  blockedDone: (name: string) => `${name} blocked.`,
  unblockAsk: (name: string) => `Unblock ${name}?`,
  unblockSays:
    'They’ll be able to message you again, and you’ll see each other’s online status. Messages they tried to send in the meantime won’t arrive.',
  unblockedDone: (name: string) => `${name} unblocked.`,
};
