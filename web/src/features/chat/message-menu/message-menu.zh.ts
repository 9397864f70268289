import type { messageMenu as en } from './message-menu.en.ts';

export const messageMenu: typeof en = {
  label: '消息',
  react: '回应',
  moreEmoji: '更多表情',
  reply: '回复',
  copy: '复制文字',
  copied: '已复制文字。',
  edit: '编辑',
  unsend: '撤回',
  unsendTitle: '撤回这条消息？',
  unsendSays: (name) => `你和 ${name} 双方都将看不到这条消息。`,
  report: '举报',
};
