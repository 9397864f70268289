export const errors: typeof import('./errors.en.ts').errors = {
  password_too_short: '密码至少需要 6 个字符。',
  password_too_long: '密码最多 128 个字符。',
  password_common: '这个密码太常见了，请换一个。',
  nickname_too_long: '昵称最多 64 个字符。',
  nickname_invalid: '昵称不能含有不可见的字符，首尾也不能有空格。',
  avatar_invalid: '请输入以 https:// 开头的图片链接。',
  invalid_field: '请检查填写的内容后重试。',

  wrong_password: '密码不正确。',
  account_suspended: '该账号已被停用，请联系服务管理员。',
  user_not_found: '该账号已不存在。',

  not_accepting: '对方暂时不接收消息。',
  unblock_first: '你已屏蔽对方，请先解除屏蔽。',
  too_many_messages: '消息发得太快了，请稍等片刻。',
  cid_used: '这条消息未发送，请重新输入。',
  message_self: '不能给自己发消息，请选择其他人。',
  block_self: '不能屏蔽自己。',
  friend_self: '不能添加自己为好友。',
  friend_state: '状态刚刚有变化，请重新查看。',
  too_many_pins: '最多可置顶 5 个会话，请先取消一个。',
  conversation_not_found: '这个会话已没有消息。',

  too_many_friend_requests: '好友申请过于频繁，请稍后再试。',
  too_many_requests_to_user: '对该用户的好友申请过于频繁，请稍后再试。',
  too_many_open_requests: '待处理的好友申请过多，请先撤回一些。',

  unreachable: '无法连接服务器，请检查网络后重试。',
  signed_out: '你已退出登录，请重新登录。',
  unauthenticated: '你已退出登录，请重新登录。',
  overloaded: '服务器繁忙，请稍后再试。',
  internal: '服务器出了点问题，请重试。',
  body_too_large: '内容太长，请缩短后重试。',
  storage_failed: '浏览器无法保存，请重试。',
  bad_text: '内容含有无法发送的字符，请删除后重试。',
  frame_rejected: '服务器无法读取这条消息，请换一种写法。',
  body_bad_text: '内容含有无法发送的字符，请删除后重试。',
  forbidden: '你没有权限进行此操作。',
};

export const errorTexts: typeof import('./errors.en.ts').errorTexts = {
  rateLimited: (wait) => `操作太频繁，请在 ${wait}后再试。`,
  rateLimitedSoon: '操作太频繁，请稍后再试。',
  suspendedUntil: (time) => `该账号已被停用，将于 ${time} 恢复。`,
  reason: (reason) => `原因：${reason}`,
  other: '出了点问题，请重试。',
};
