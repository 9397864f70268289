import type { conversationMenu as en } from './conversation-menu.en.ts';

export const conversationMenu: typeof en = {
  label: '会话',
  items: {
    pin: '置顶',
    unpin: '取消置顶',
    mute: '静音',
    unmute: '取消静音',
    archive: '归档',
    unarchive: '取消归档',
    markUnread: '标为未读',
    markRead: '标为已读',
    delete: '删除会话',
  },
  chat: {
    search: '搜索消息',
    profile: '查看资料',
    befriend: '发送好友申请',
    withdraw: '撤回好友申请',
    accept: '接受好友申请',
    decline: '拒绝好友申请',
    unfriend: '删除好友',
    requested: '好友申请已发送。',
  },
  archived: (name) => `与 ${name} 的会话已归档。`,
  unarchived: (name) => `与 ${name} 的会话已移回聊天列表。`,

  muteAsk: (name) => `将与 ${name} 的会话静音？`,
  muteSays: '你不会收到通知，新消息也不计入未读数。对方不会知道。',
  muteFor: { hour: '1 小时', hours: '8 小时', week: '1 周', always: '始终' },
  muted: (name) => `已将 ${name} 静音。`,

  deleteAsk: (name) => `删除与 ${name} 的会话？`,
  deleteSays: (name) => `这些消息会从你的所有设备上删除，${name} 那里仍会保留。`,
  deleteIt: '删除',
  deleted: (name) => `已删除与 ${name} 的会话。`,
};
