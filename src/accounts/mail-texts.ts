import type { MailLanguage } from '../mail/mail-jobs.ts';
import { type Mail, userText } from '../mail/mail-message.ts';

type MailText = Pick<Mail, 'subject' | 'paragraphs'>;

/** The texts of a mail, both languages side by side. The facts are text as it is: each mail passes what a user wrote through {@link userText}. */
type MailTexts<Facts> = Readonly<Record<MailLanguage, (facts: Facts) => MailText>>;

const mail = (subject: string, ...paragraphs: Mail['paragraphs']): MailText => ({ subject, paragraphs });

/** To an address that is not verified yet: without any word that a user wrote. */
export const VERIFY: MailTexts<{ code: string; link: string }> = {
  zh: ({ code, link }) =>
    mail(
      '确认你的邮箱',
      `你的验证码是 ${code}，15 分钟内有效。`,
      { text: '也可以打开这个链接并按确认：', link },
      '如果不是你本人操作，请忽略这封邮件。',
    ),
  en: ({ code, link }) =>
    mail(
      'Confirm your email address',
      `Your code is ${code}. It works for 15 minutes.`,
      { text: 'Or open this link and press Confirm:', link },
      "If you didn't ask for this, ignore this email.",
    ),
};

export const ADDRESS_CHANGED: MailTexts<{ username: string; link: string }> = {
  zh: ({ username, link }) =>
    mail('恢复邮箱已更改', `账号 ${userText(username)} 不再使用这个邮箱。`, {
      text: '如果不是你，请登录并检查账号：',
      link,
    }),
  en: ({ username, link }) =>
    mail('Your recovery address was changed', `${userText(username)} no longer uses this address.`, {
      text: "If it wasn't you, sign in and check your account:",
      link,
    }),
};

export const FORGOT: MailTexts<{ username: string; link: string }> = {
  zh: ({ username, link }) =>
    mail(
      '重新设置密码',
      {
        text: `有人为账号 ${userText(username)} 请求重新设置密码。打开链接设置新密码，一小时内有效，只能使用一次：`,
        link,
      },
      '设置后，所有设备都会退出登录。如果不是你，请忽略，密码不会改变。',
    ),
  en: ({ username, link }) =>
    mail(
      'Set a new password',
      {
        text: `Someone asked for a new password for the account ${userText(username)}. Open this link to choose one. It works once, within an hour:`,
        link,
      },
      "All your devices will be signed out. If it wasn't you, do nothing: your password stays as it is.",
    ),
};

export const NEW_SIGN_IN: MailTexts<{ device: string; address: string; at: number; link: string }> = {
  zh: ({ device, address, at, link }) =>
    mail('新设备登录了你的账号', `${userText(device) || '未知设备'}，${address}，${utcTime(at)}`, {
      text: '如果是你，无需操作。如果不是：',
      link,
    }),
  en: ({ device, address, at, link }) =>
    mail(
      'New sign-in to your account',
      `${userText(device) || 'Unknown device'}, ${address}, ${utcTime(at)}`,
      { text: "If this was you, there's nothing to do. If not, sign that device out:", link },
    ),
};

export const PASSWORD_CHANGED: MailTexts<{ username: string; at: number; link: string }> = {
  zh: ({ username, at, link }) =>
    mail('密码已更改', {
      text: `账号 ${userText(username)} 的密码在 ${utcTime(at)} 更改，其他设备已退出登录。如果不是你，请立即重新设置密码：`,
      link,
    }),
  en: ({ username, at, link }) =>
    mail('Your password was changed', {
      text: `The password of ${userText(username)} was changed at ${utcTime(at)}, and other devices were signed out. If it wasn't you, set a new one now:`,
      link,
    }),
};

/** The reason is the operator's own text, '' if there is none. Without `until` only the operator ends it. */
export const SUSPENDED: MailTexts<{ username: string; reason: string; until: number | null }> = {
  zh: ({ username, reason, until }) =>
    mail(
      '你的账号已停用',
      `账号 ${userText(username)} 已停用${until === null ? '' : `，至 ${utcTime(until)}`}。在此期间无法登录。`,
      ...(reason === '' ? [] : [`原因：${reason}`]),
    ),
  en: ({ username, reason, until }) =>
    mail(
      'Your account was suspended',
      `The account ${userText(username)} is suspended${until === null ? '' : ` until ${utcTime(until)}`}. Nobody can sign in to it.`,
      ...(reason === '' ? [] : [`Reason: ${reason}`]),
    ),
};

export const DELETION_ASKED: MailTexts<{ username: string; until: number }> = {
  zh: ({ username, until }) =>
    mail(
      '账号将被删除',
      `账号 ${userText(username)} 将在 ${utcTime(until)} 删除。在此之前登录并选择“保留账号”即可撤销。`,
    ),
  en: ({ username, until }) =>
    mail(
      'Your account will be deleted',
      `${userText(username)} will be deleted on ${utcTime(until)}. Until then you can sign in and choose "Keep my account".`,
    ),
};

export const DELETION_UNDONE: MailTexts<{ username: string }> = {
  zh: ({ username }) => mail('账号已保留', `账号 ${userText(username)} 不会被删除。`),
  en: ({ username }) => mail('Your account stays', `${userText(username)} will not be deleted.`),
};

/** Without a device: by the operator. */
export const EXPORT_MADE: MailTexts<{
  username: string;
  at: number;
  device: string | undefined;
  link: string;
}> = {
  zh: ({ username, at, device, link }) => {
    const made = `账号 ${userText(username)}，${utcTime(at)}`;
    if (device === undefined) return mail('有人下载了你的数据', `${made}，由本服务的运营者导出。`);
    const text = `${made}，${userText(device) || '未知设备'}。如果不是你，请更改密码：`;
    return mail('有人下载了你的数据', { text, link });
  },
  en: ({ username, at, device, link }) => {
    const made = `${userText(username)}, ${utcTime(at)}`;
    if (device === undefined)
      return mail('Your data was downloaded', `${made}, by the operator of this service.`);
    const text = `${made}, ${userText(device) || 'Unknown device'}. If it wasn't you, change your password:`;
    return mail('Your data was downloaded', { text, link });
  },
};

/** `2026-11-27 00:54 UTC`: the service does not know where its reader is. */
function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
