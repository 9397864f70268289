export const questions: typeof import('./question-dialog.en.ts').questions = {
  removeAsk: (name) => `要删除好友 ${name} 吗？`,
  removeSays: '你们仍然可以互发消息，但对方会看到你们已不是好友。',
  removed: (name) => `已删除好友 ${name}。`,
  blockAsk: (name) => `要屏蔽 ${name} 吗？`,
  blockSays: [
    '对方不能给你发消息或发送好友申请，也不会触发你任何设备的通知。',
    '你们在彼此眼中都显示为离线，你也不能给对方发消息。',
    '对方不会收到提醒。以前的聊天记录会保留。',
  ],
  blockedDone: (name) => `已屏蔽 ${name}。`,
  unblockAsk: (name) => `要解除对 ${name} 的屏蔽吗？`,
  unblockSays: '对方可以再次给你发消息，你们也能看到彼此是否在线。屏蔽期间对方尝试发送的消息不会补发。',
  unblockedDone: (name) => `已解除对 ${name} 的屏蔽。`,
};
