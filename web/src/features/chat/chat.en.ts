/**
 * Names are passed in isolated, so that their text direction does not affect the sentence. A text that ends in a colon has
 * its space too: Chinese has none.
 */
export const chat = {
  search: 'Search people and messages',
  conversations: 'Conversations',
  noConversations: 'No conversations yet',
  noConversationsSays: 'Find someone and send the first message.',
  draft: 'Draft: ',
  you: 'You: ',
  notSent: 'Not sent: ',
  /** In lists and quotes. @param caption may be empty */
  picture: (caption: string) => (caption === '' ? 'Picture' : `Picture: ${caption}`),
  blockedShort: 'Blocked',

  typing: 'typing…',
  yourself: 'This is you',
  yourselfSays: 'You can’t message yourself',

  more: 'Conversation options',
  block: 'Block',
  unblock: 'Unblock',

  accept: 'Accept',
  decline: 'Decline',
  asksYou: (name: string) => `${name} wants to be friends.`,
  befriended: (name: string) => `You and ${name} are now friends.`,

  messages: (name: string) => `Messages with ${name}`,
  /** The name of one message, for screen readers. @param sender a name, or `ownName` */
  messageBy: (sender: string, day: string, time: string) => `${sender}, ${day}, ${time}`,
  ownName: 'You',
  /** One of several copied messages. */
  copied: (time: string, sender: string, body: string) => `[${time}] ${sender}: ${body}`,
  /** Where the messages would be. */
  blockedTitle: (name: string) => `You blocked ${name}`,
  newMessages: 'New messages',
  unread: (count: number) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  newBelow: (count: number) => (count === 1 ? '1 new message' : `${count} new messages`),
  toNewest: 'Jump to the latest message',
  beginning: (name: string) => `This is the start of your conversation with ${name}.`,
  sayHello: (name: string) => `Say hello to ${name}`,
  sayHelloSays: 'No messages yet.',
  loadingOlder: 'Loading older messages',
  loadOlder: 'Load older messages',
  cannotLoad: 'Couldn’t load messages',

  states: {
    waiting: 'Waiting to send',
    sending: 'Sending',
    refused: 'Not sent',
    stored: 'Sent',
    received: 'Delivered',
    read: 'Read',
  },
  edited: 'Edited',
  /** In place of a text that was taken back. */
  youUnsent: 'You unsent a message',
  theyUnsent: 'This message was unsent',
  waitsForConnection: 'Will be sent when you’re back online.',
  retry: 'Try again',
  discard: 'Discard',

  message: (name: string) => `Message to ${name}`,
  placeholder: 'Message',
  send: 'Send',
  /** @param count below 0: too many */
  room: (count: number) => {
    const characters = `${Math.abs(count)} ${Math.abs(count) === 1 ? 'character' : 'characters'}`;
    return count >= 0 ? `${characters} left` : `${characters} over the limit`;
  },
  unblockToWrite: (name: string) => `You blocked ${name}. Unblock them to send messages.`,
  /** Below `blockedTitle`. */
  unblockFirst: 'Unblock them to send messages.',
  notAccepting: (name: string) => `${name} isn’t accepting messages right now.`,
  gone: 'This account no longer exists.',
};
