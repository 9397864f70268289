import type { Config } from '../config/config.ts';
import { type Mail, renderMail } from './mail-message.ts';

/** How many mails are sent at once. */
export const CONNECTIONS = 2;
/** An attempt to send takes so long at most, so that it ends before the lease of its job. */
const ATTEMPT_MS = 40_000;

/** The reply to a mail whose sender did not sign in (RFC 4954, 6): the settings are wrong, and the operator may mend them in time. */
const AUTH_REQUIRED = 530;

/** What may be logged of a failure: the server's own words often have the address. */
interface SmtpFailure {
  /** Of `nodemailer`, such as `ESOCKET`. */
  readonly code: string | undefined;
  /** The step of SMTP that failed, such as `CONN` or `RCPT TO`. */
  readonly command: string | undefined;
  /** The reply of the server, if there was one. */
  readonly responseCode: number | undefined;
}

export interface MailTransport extends Disposable {
  /**
   * Sends a mail to its one recipient, within 40 s.
   *
   * @param id names the mail in its `Message-ID`: the same for each attempt
   * @param signal ends the attempt, which may have succeeded by then
   * @throws {Error & SmtpFailure} of `nodemailer`; its message may have the address, but not the password
   */
  send(mail: Mail, id: string, signal?: AbortSignal): Promise<void>;
}

/** Loads `nodemailer`; nothing else does. It connects when a mail is sent. */
export async function openTransport(
  { url, from }: NonNullable<Config['smtp']>,
  host: string,
  attemptMs = ATTEMPT_MS,
): Promise<MailTransport> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    // The worker repeats attempts.
    maxRequeues: 0,
    // A server that stops to answer between two mails keeps a connection no longer than an attempt.
    connectionTimeout: attemptMs,
    greetingTimeout: attemptMs,
    socketTimeout: attemptMs,
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail, id, signal) {
      const limits = [AbortSignal.timeout(attemptMs), ...(signal ? [signal] : [])];
      await transport.sendMail({
        from,
        // A text would be read as a list of addresses.
        to: { name: '', address: mail.to },
        subject: mail.subject,
        ...renderMail(mail, host),
        messageId: `<${id}@${host}>`,
        // No mail program answers these by itself (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.any(limits),
      });
    },
    [Symbol.dispose]: () => transport.close(),
  };
}

/** Reads an error of {@link MailTransport.send}: only a reply of 5xx to the mail itself says that no attempt will succeed. */
export function toFailure(error: unknown): { isFinal: boolean; cause: SmtpFailure } {
  const { code, command, responseCode } = error as SmtpFailure; // fields of nodemailer's, where present
  const isOfMail = /^(?:MAIL FROM|RCPT TO|DATA)$/.test(command ?? '');
  return {
    isFinal: isOfMail && responseCode !== undefined && responseCode >= 500 && responseCode !== AUTH_REQUIRED,
    cause: { code, command, responseCode },
  };
}
