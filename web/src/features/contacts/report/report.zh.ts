import type { report as en } from './report.en.ts';

export const report: typeof en = {
  title: (name) => `举报 ${name}`,
  says: '举报内容会由本服务的管理员查看，被举报的人不会知道。',
  reason: '举报原因',
  reasons: {
    spam: '垃圾信息',
    abuse: '骚扰或威胁',
    impersonation: '冒充他人',
    other: '其他',
  },
  messages: '一并提交的消息',
  text: '补充说明（选填）',
  block: (name) => `同时屏蔽 ${name}`,
  send: '提交举报',
  sent: '已收到你的举报',
  sentSays: '管理员会尽快处理。',
  blocked: (name) => `已屏蔽 ${name}。`,
  tooMany: '今天提交的举报太多，请明天再试。',
};
