export const leaving: typeof import('./leaving.en.ts').leaving = {
  data: '你的数据',
  dataSays:
    '一个文件，包含你的个人资料、设置、设备、联系人、消息、你发送的图片和各项记录。每行都是 JSON，其他程序也能读取。每天可以下载 3 次。',
  download: '下载你的数据',
  preparing: '正在准备…',
  downloading: '浏览器正在下载你的数据。',

  delete: '删除账号',
  deleteSays: '永久离开。决定之前，你会看到哪些内容会被删除、哪些会保留。',
  deleteAsk: '要删除你的账号吗？',
  signsOut: '你的所有设备都会退出登录。别人无法再找到你，也无法给你发消息。',
  canReturn: (until) => `${until} 之前可以反悔：登录并选择“保留账号”。一切都会恢复，只是需要重新开启通知。`,
  goesLater: '在此之后，你的个人资料、好友、屏蔽名单、设置、恢复邮箱和各项记录会被永久删除。',
  goesNow: '你的个人资料、好友、屏蔽名单、设置、恢复邮箱和各项记录会立即删除，无法撤销。',
  stays: '你发送的消息和图片会保留在收件人那里，但不再显示你的名字。',
  nameStays: (username) => `用户名 ${username} 以后任何人都不能再使用，包括你自己。`,
  loses: (count) => `有 ${count} 条消息尚未发送，将会丢失。`,
  typeName: '请输入你的用户名以确认',
  otherName: '这不是你的用户名。',
  deleting: '正在删除…',
};
