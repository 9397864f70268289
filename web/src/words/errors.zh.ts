export const errors: typeof import('./errors.en.ts').errors = {
  username_taken: '这个用户名已被使用，请换一个。',
  username_length: '用户名需为 2 到 32 个字符。',
  username_invalid: '用户名含有无法显示的字符，或首尾有空格。',
  password_too_short: '密码至少需要 6 个字符。',
  password_too_long: '密码最多 128 个字符。',
  nickname_too_long: '昵称最多 64 个字符。',
  avatar_invalid: '这不是图片地址，应以 https:// 开头。',
  invalid_field: '有内容不太对，请检查后再试。',

  unknown_user: '没有这个用户名。',
  wrong_password: '密码不正确。',
  wrong_old_password: '旧密码不正确。',
  account_suspended: '该账号已被停用，请联系服务管理员。',
  user_not_found: '对方已不在这里。',
  session_not_found: '该设备已经退出登录。',
  subscription_not_found: '该设备已不再接收通知。',

  push_unavailable: '浏览器没能开启通知，请重试，或重启浏览器。',
  endpoint_private: '无法使用此浏览器的推送服务。',
  endpoint_not_https: '无法使用此浏览器的推送服务。',
  endpoint_invalid: '无法使用此浏览器的推送服务。',
  endpoint_too_long: '无法使用此浏览器的推送服务。',

  not_accepting: '对方暂时不接收消息。',
  unblock_first: '你已屏蔽对方，请先解除屏蔽。',
  too_many_messages: '消息发得太快了，请稍等片刻。',
  message_self: '这是你自己，请选择其他人。',
  block_self: '不能屏蔽自己。',
  friend_self: '不能添加自己为好友。',
  friend_state: '情况刚刚有变，请重新查看。',

  unreachable: '无法连接到服务，请检查网络后重试。',
  signed_out: '你已退出登录，请重新登录。',
  unauthenticated: '你已退出登录，请重新登录。',
  overloaded: '现在非常繁忙，请稍后再试。',
  internal: '服务出了点问题，请重试。',
  body_too_large: '内容太长了。',
  body_bad_text: '内容含有无法发送的字符。',
  forbidden: '你没有权限这样做。',
};

export const errorTexts: typeof import('./errors.en.ts').errorTexts = {
  rateLimited: (wait) => `操作太频繁了，请在${wait}后再试。`,
  rateLimitedSoon: '操作太频繁了，请稍后再试。',
  other: '没有成功，请重试。',
};
