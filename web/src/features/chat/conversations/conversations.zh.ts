export const conversations: typeof import('./conversations.en.ts').conversations = {
  archived: '已归档',
  noArchived: '没有已归档的会话',
  noArchivedSays: '可在会话的菜单中归档。收到新消息时会移回聊天列表，静音的除外。',
  pinned: '已置顶',
  muted: '已静音',
  markedUnread: '已标为未读',
};
