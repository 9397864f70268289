import type { messageParts as en } from './message-parts.en.ts';

export const messageParts: typeof en = {
  you: '我',
  unsent: '消息已撤回',
  notLoaded: '较早的消息',
  answers: '回复：',
  addReaction: (emoji) => `用 ${emoji} 回应`,
  removeReaction: (emoji) => `取消回应 ${emoji}`,
  both: (one, other) => `${one}和${other}`,
  refused: {
    edit: '未编辑：',
    unsend: '未撤回：',
    react: '回应未保存：',
  },
  dismiss: '知道了',

  editing: '编辑消息',
  replying: (name) => `回复 ${name}`,
  replyingYourself: '回复自己',
  cancel: '取消',
};
