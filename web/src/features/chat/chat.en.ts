/** Names are passed in isolated, so that their text direction does not affect the sentence. */
export const chat = {
  search: 'Search conversations',
  clearSearch: 'Clear search',
  /** @param typed what was searched for */
  noneNamed: (typed: string) => `No conversation with “${typed}”`,
  noneNamedSays: 'You may find the person among everybody.',
  conversations: 'Conversations',
  noConversations: 'No conversations yet',
  noConversationsSays: 'Find somebody, and write the first message.',
  draft: 'Draft:',
  you: 'You:',
  notSent: 'Not sent:',
  blockedShort: 'Blocked',

  typing: 'typing …',
  blocked: 'You blocked this person',
  yourself: 'This is you',
  yourselfSays: 'Messages go to other people. Pick somebody to write to.',

  more: 'More about this conversation',
  profile: 'Profile',
  block: 'Block',
  unblock: 'Unblock',

  befriend: 'Send friend request',
  withdraw: 'Withdraw friend request',
  accept: 'Accept',
  acceptLong: 'Accept friend request',
  decline: 'Decline',
  declineLong: 'Decline friend request',
  unfriend: 'Remove from friends',
  asksYou: (name: string) => `${name} would like to be your friend.`,
  befriended: (name: string) => `You and ${name} are friends.`,
  requested: 'Friend request sent.',

  messages: (name: string) => `Messages with ${name}`,
  /** The name of one message, for screen readers. @param sender a name, or `ownName` */
  messageBy: (sender: string, time: string) => `${sender}, ${time}`,
  ownName: 'You',
  newMessages: 'New messages',
  unread: (count: number) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  newBelow: (count: number) => (count === 1 ? '1 new message' : `${count} new messages`),
  toNewest: 'To the newest message',
  beginning: (name: string) => `Your conversation with ${name} begins here.`,
  sayHello: (name: string) => `Say hello to ${name}`,
  sayHelloSays: 'Nobody has written anything yet.',
  loadingOlder: 'Loading older messages',
  loadOlder: 'Older messages',
  cannotLoad: 'These messages could not be loaded',

  states: {
    waiting: 'Waits to be sent',
    sending: 'Being sent',
    refused: 'Not sent',
    stored: 'Sent',
    received: 'Delivered',
    read: 'Read',
  },
  waitsForConnection: 'Is sent as soon as you are back online.',
  retry: 'Try again',
  discard: 'Delete',

  message: (name: string) => `Message to ${name}`,
  placeholder: 'Message',
  send: 'Send',
  /** @param count below 0: too many */
  room: (count: number) =>
    count >= 0
      ? `${count} characters left`
      : `${-count} ${count === -1 ? 'character' : 'characters'} too many to send`,
  unblockToWrite: (name: string) => `You blocked ${name}. Unblock them to write.`,
  notAccepting: (name: string) => `${name} does not take messages at the moment.`,
  gone: 'This account is not there any more.',
};
