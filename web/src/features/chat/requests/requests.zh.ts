export const requests: typeof import('./requests.en.ts').requests = {
  title: '消息请求',
  says: '这些人还不是你的好友。接受之前，对方不会知道你看过消息。',
  none: '没有消息请求',
  noneSays: '不是好友的人给你发消息时，由你在这里决定。',
  settings: '谁可以给我发消息',
  noneOpen: '选择一个请求',
  cannotLoad: '请求加载失败',
  needConnection: '恢复连接后显示消息请求。',

  ask: (name) => `允许 ${name} 给你发消息吗？`,
  askSays: '接受之前，对方不会知道你看过消息。',
  accept: '接受',
  decline: '拒绝',
  block: '屏蔽',
  declined: (name) => `已拒绝 ${name}，对方不会收到通知。`,
  reported: (name) => `已举报并屏蔽 ${name}。`,
  answered: '该请求已处理。',
};
