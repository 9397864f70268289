export const pictures = {
  attach: '发送图片',
  title: '发送图片',
  caption: '说明',
  captionPlaceholder: '添加说明',
  preparing: '正在处理图片',
  sendTo: (name: string) => `发送给${name}`,
  unreadable: '无法读取此图片。',

  acceptFirst: '接受请求后才能查看图片。',
  loading: '正在加载图片',
  failed: '图片加载失败',
  gone: '图片已不可用。',

  previous: '上一张图片',
  next: '下一张图片',
  download: '下载',
  sentBy: (sender: string, time: string) => `${sender}，${time}`,
};
