export const search: typeof import('./search.en.ts').search = {
  messages: '消息',
  you: '我：',
  nothing: '没有找到',
  nothingSays: '没有名字或消息包含此内容。',

  inChat: '搜索消息',
  inChatSays: '输入一个词或其中一部分。',
  end: '完成',
  previous: '上一条结果',
  next: '下一条结果',
  place: (place, total) => `第 ${place} 条，共 ${total} 条`,
  results: (total) => `${total} 条结果`,
  none: '没有找到消息',

  searching: '正在搜索…',
  searched: (count) => `目前已搜索 ${count} 条消息。`,
  further: '继续搜索',
  onDevice: '你已离线，只搜索保存在此设备上的消息。',
  failed: '无法搜索消息。',
  waits: (wait) => `搜索已暂停，${wait}后继续。`,
};
