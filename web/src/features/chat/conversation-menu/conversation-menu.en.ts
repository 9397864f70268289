/** Names are passed in isolated, so that their text direction does not affect the sentence. */
export const conversationMenu = {
  label: 'Conversation',
  items: {
    pin: 'Pin',
    unpin: 'Unpin',
    mute: 'Mute',
    unmute: 'Unmute',
    archive: 'Archive',
    unarchive: 'Unarchive',
    markUnread: 'Mark as unread',
    markRead: 'Mark as read',
    delete: 'Delete conversation',
  },
  /** Only in the menu of the open chat. */
  chat: {
    search: 'Search messages',
    profile: 'Profile',
    befriend: 'Send friend request',
    withdraw: 'Cancel friend request',
    accept: 'Accept friend request',
    decline: 'Decline friend request',
    unfriend: 'Remove from friends',
    requested: 'Friend request sent.',
  },
  archived: (name: string) => `The conversation with ${name} is archived.`,
  unarchived: (name: string) => `The conversation with ${name} is back among your chats.`,

  muteAsk: (name: string) => `Mute the conversation with ${name}?`,
  muteSays: 'You won’t be notified, and its messages won’t be counted. The other person won’t know.',
  muteFor: { hour: '1 hour', hours: '8 hours', week: '1 week', always: 'Always' },
  muted: (name: string) => `You muted ${name}.`,

  deleteAsk: (name: string) => `Delete the conversation with ${name}?`,
  deleteSays: (name: string) => `Its messages are deleted for you, on all your devices. ${name} keeps them.`,
  deleteIt: 'Delete',
  deleted: (name: string) => `You deleted the conversation with ${name}.`,
};
