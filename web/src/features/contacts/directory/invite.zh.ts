export const invite: typeof import('./invite.en.ts').invite = {
  title: '你是第一位用户',
  says: {
    open: '把本页链接分享给别人，对方注册后会显示在这里。',
    invite: '把本页链接分享给别人。对方注册时还需要邀请码，邀请码由管理员创建。',
    closed: '把本页链接分享给已有账号的人。只有管理员可以添加账号。',
  },
  share: '分享链接',
  copy: '复制链接',
  link: '本页链接',
  onlyHere: '只有这台设备能打开此链接。',
};
