import type { AccountLogEntry } from 'doorman-client';
import type { Texts } from '../../../i18n/en.ts';

interface Language {
  readonly texts: Texts['settings']['acts'];
  /** A readable name of a device, made of its User-Agent. */
  readonly device: (agent: string) => string;
  /** Date and time. */
  readonly time: (at: number) => string;
}

/** What happened to the account, as a sentence without its full stop. An act of a newer service has a general one. */
export function actSentence({ what, detail }: AccountLogEntry, { texts, device, time }: Language): string {
  const count = Number(detail.n ?? 1);
  const text = (name: string, otherwise: string) => String(detail[name] || otherwise);
  const ended = detail.device ? device(String(detail.device)) : texts.device;
  switch (what) {
    case 'signed_in':
      return detail.notice === 'new_sign_in' ? texts.signed_in_new : texts.signed_in;
    case 'sign_in_failed':
      return texts.sign_in_failed(count);
    case 'session_ended':
      return detail.by === 'idle' ? texts.session_idle(ended) : texts.session_ended(ended);
    case 'sessions_ended':
      return detail.by === 'surplus' ? texts.sessions_surplus(count) : texts.sessions_ended(count);
    case 'blocked':
    case 'unblocked':
      return texts[what](text('username', texts.person));
    case 'suspended':
      return detail.until ? texts.suspended_until(time(Number(detail.until))) : texts.suspended;
    case 'mail': {
      const kinds: Partial<Record<string, string>> = texts.mail;
      return kinds[text('kind', 'other')] ?? texts.mail.other;
    }
    case 'signed_up':
    case 'signed_out':
    case 'password_changed':
    case 'password_reset':
    case 'link_made':
    case 'email_verified':
    case 'email_changed':
    case 'email_removed':
    case 'restored':
    case 'deletion_asked':
    case 'deletion_undone':
    case 'export_made':
      return texts[what];
    default:
      return texts.unknown;
  }
}
