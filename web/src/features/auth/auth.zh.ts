export const auth: typeof import('./auth.en.ts').auth = {
  tagline: '消息必达，屏蔽即静。',
  signIn: '登录',
  signUp: '注册',
  signInTitle: '欢迎回来',
  signUpTitle: '创建账号',
  newHere: '还没有账号？',
  haveAccount: '已有账号？',
  username: '用户名',
  usernameHint: '2 到 32 个字符，别人可以用它找到你。',
  password: '密码',
  passwordHint: '至少 6 个字符。',
  showPassword: '显示密码',
  hidePassword: '隐藏密码',
  nickname: '昵称',
  nicknameHint: '别人看到的名字，随时可以修改。',
  addNickname: '添加昵称',
  signingIn: '正在登录…',
  signingUp: '正在创建账号…',

  usernameMissing: '请输入用户名。',
  passwordMissing: '请输入密码。',

  ends: {
    signed_out: '',
    expired: '登录已过期，请重新登录。',
    ended: '你已在其他设备上将此设备下线，请重新登录。',
    suspended: '该账号已被停用，请联系服务管理员。',
  },

  welcome: '欢迎使用 Doorman',
  welcomeSays: '找一个认识的人，打个招呼吧。',
};
