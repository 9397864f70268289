export const shortcuts: typeof import('./shortcuts.en.ts').shortcuts = {
  title: '键盘快捷键',
  goTo: '跳转到某人的聊天',
  next: '下一个聊天',
  previous: '上一个聊天',
  nextUnread: '下一个未读聊天',
  previousUnread: '上一个未读聊天',
  toList: '返回列表',
  send: '发送消息',
  newLine: '换行',
  help: '显示快捷键',
};
