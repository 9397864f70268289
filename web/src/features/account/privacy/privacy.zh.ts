export const privacy: typeof import('./privacy.en.ts').privacy = {
  messages: {
    title: '谁可以给你发消息',
    answers: {
      everyone: { label: '所有人', says: '任何人都可以给你发消息。' },
      requests: { label: '需接受', says: '非好友的第一条消息会等待，直到你接受。' },
      friends: { label: '好友', says: '只有好友可以发起会话，已有的会话不受影响。' },
    },
  },
  friendRequests: {
    title: '谁可以向你发送好友申请',
    answers: {
      everyone: { label: '所有人', says: '任何人都可以加你为好友。' },
      nobody: { label: '没有人', says: '只有你可以发送好友申请。' },
    },
  },
  presence: {
    title: '谁可以看到你在线',
    answers: {
      everyone: { label: '所有人', says: '任何人都可以看到你是否在线和上次在线的时间。' },
      friends: { label: '好友', says: '只有好友可以看到，你也只能看到好友是否在线。' },
      nobody: { label: '没有人', says: '没有人可以看到，你也看不到别人是否在线。' },
    },
  },
  readReceipts: {
    title: '已读回执',
    answers: {
      on: { label: '开启', says: '对方可以看到你已读，你也可以看到对方已读。' },
      off: { label: '关闭', says: '双方都看不到已读，只能看到已送达。' },
    },
  },
  listed: {
    title: '显示在用户列表中',
    answers: {
      on: { label: '是', says: '别人用名字的一部分就能找到你。' },
      off: { label: '否', says: '别人只有输入完整用户名才能找到你。' },
    },
  },
};
