export const conversations = {
  archived: 'Archived',
  /** Where the archived ones would be. */
  noArchived: 'No archived conversations',
  noArchivedSays: 'Archive a conversation in its menu. A new message brings it back, unless it is muted.',
  pinned: 'pinned',
  muted: 'muted',
  markedUnread: 'marked as unread',
};
