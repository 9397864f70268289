export const signOut: typeof import('./sign-out.en.ts').signOut = {
  signOutAsk: '要在这台设备上退出登录吗？',
  signOutSays: '本浏览器中保存的聊天内容会被清除，服务器上的记录不受影响。',
  signOutLoses: (count) => `还有 ${count} 条消息未发送，退出后将会丢失。`,
  signOutAnyway: '仍然退出',
};
