import type { messageMenu as en } from './message-menu.en.ts';

export const messageMenu: typeof en = {
  label: '消息',
  copy: '复制文字',
  copied: '已复制文字。',
  report: '举报',
};
