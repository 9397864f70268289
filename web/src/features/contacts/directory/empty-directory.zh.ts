export const emptyDirectory: typeof import('./empty-directory.en.ts').emptyDirectory = {
  nobodyOnline: '暂时没有其他人在线',
  nobodyOnlineSays: '你可以先发消息，对方上线后就能看到。',
  onlineHidden: '你看不到谁在线',
  onlineHiddenSays: '只有当所有人都能看到你是否在线时，此列表才会显示在线用户。可在“设置 > 隐私”中更改。',
};
