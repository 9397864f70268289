export const personPage: typeof import('./person-page.en.ts').personPage = {
  profileOffline: '联网后才能查看此资料',
  profileFailed: '资料加载失败',
  profileFailedSays: '请检查网络后重试。',
  toPeople: '查看所有人',
};
