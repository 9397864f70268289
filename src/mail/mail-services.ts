import type { Config } from '../config/config.ts';
import { ServiceError } from '../errors.ts';
import type { MailKind } from './mail-jobs.ts';
import { type MailTransport, openTransport } from './transport.ts';

/** What became of an attempt; after `retry` another one follows. `skipped`: there was nothing to be sent any more. */
export type MailOutcome = 'sent' | 'retry' | 'refused' | 'expired' | 'skipped';

/** The long-lived parts of mail, except the worker that sends, which starts after the app is built. */
export interface MailServices extends Disposable {
  /** Where the links in mails lead: our own origin, whatever a request names. */
  readonly publicUrl: string;
  /** The host of `publicUrl`, without a port. */
  readonly host: string;
  /** How many mails wait to be sent, up to 10,000, as the worker counted last. */
  waiting: number;
  readonly transport: MailTransport;
  /** For `/metrics`. */
  readonly outcomes: ReadonlyMap<`${MailKind} ${MailOutcome}`, number>;
  countOutcome(kind: MailKind, outcome: MailOutcome): void;
}

/** What tests replace of the network. */
export interface MailWorld {
  /** How long an attempt to send may take. */
  mailAttemptMs?: number;
}

/** @returns null without `SMTP_URL`: then no mail is sent */
export async function openMail(
  { publicUrl, smtp }: Pick<Config, 'publicUrl' | 'smtp'>,
  { mailAttemptMs }: MailWorld = {},
): Promise<MailServices | null> {
  if (smtp === null) return null;
  const host = new URL(publicUrl).hostname;
  const transport = await openTransport(smtp, host, mailAttemptMs);
  const outcomes = new Map<`${MailKind} ${MailOutcome}`, number>();
  return {
    publicUrl,
    host,
    waiting: 0,
    transport,
    outcomes,
    countOutcome(kind, outcome) {
      const key = `${kind} ${outcome}` as const;
      outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    },
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}

/** @throws {ServiceError} `forbidden` if no mail is sent */
export function requireMail(mail: MailServices | null): MailServices {
  if (mail === null) throw new ServiceError('forbidden', 'mail_off', '本服务器未开启邮件');
  return mail;
}
