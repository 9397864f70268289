import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { disposeAfter, type Scope } from './dispose-after.ts';

/** A mail that was accepted, as its recipient reads it. */
export interface ReceivedMail {
  /** Of the envelope, as the next two. */
  from: string;
  to: string;
  recipients: string[];
  subject: string;
  text: string;
  html: string;
  /** By names in lower case. */
  headers: Record<string, string>;
}

/**
 * What a mail meets: a reply with a code to one command (`connect` refuses the connection by its greeting), no answer to the connection or
 * the data, or an end of the connection: before the greeting (`hang-up`), or after the data, before or after the mail is kept.
 * `mute-after-rcpt` refuses the recipient with 550, and answers no further command of the connection.
 */
export type SmtpBehaviour =
  | { at: 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'; code: number }
  | 'no-greeting'
  | 'hang-up'
  | 'no-answer'
  | 'mute-after-rcpt'
  | 'drop'
  | 'accept-and-drop';

export interface SmtpService extends AsyncDisposable {
  /** For `SMTP_URL`. */
  readonly url: string;
  /** Connections accepted so far. */
  readonly connections: number;
  /** How often a mail was begun to be sent: `MAIL FROM` or an earlier refusal. */
  readonly attempts: number;
  /** Mails that were accepted, oldest first; to one address. */
  received(to?: string): ReceivedMail[];
  /** What the next mail gets; several calls queue up. */
  answerNext(behaviour: SmtpBehaviour): void;
  /** What every mail gets from now on; `undefined` accepts them again. */
  answerAlways(behaviour: SmtpBehaviour | undefined): void;
  /** Stops to listen and ends all connections. */
  goAway(): Promise<void>;
  /** Listens again on the same port. */
  comeBack(): Promise<void>;
}

/**
 * A mail server on this machine, until the test ends. It waits 100 ms before it greets.
 *
 * @param options.password of the user `doorman`, without which no mail is accepted
 */
export async function startSmtp(t: Scope, options: { password?: string } = {}): Promise<SmtpService> {
  const { password } = options;
  const mails: ReceivedMail[] = [];
  const next: SmtpBehaviour[] = [];
  const sockets = new Set<Socket>();
  let always: SmtpBehaviour | undefined;
  let [connections, attempts, port] = [0, 0, 0];

  const current = () => next[0] ?? always;
  /** The refusal of a command, with which this mail is over. */
  const refusalAt = (command: string): Error | null => {
    const behaviour = current();
    if (typeof behaviour !== 'object' || behaviour.at !== command) return null;
    next.shift();
    if (command === 'connect' || command === 'auth') attempts++;
    return Object.assign(new Error(`refused by the test at ${command}`), { responseCode: behaviour.code });
  };

  const socketsOf = ({ remotePort }: { remotePort: number }) =>
    [...sockets].filter((socket) => socket.remotePort === remotePort);
  const end = (session: { remotePort: number }) => {
    for (const socket of socketsOf(session)) socket.destroy();
  };

  function open(): SMTPServer {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      authOptional: password === undefined,
      allowInsecureAuth: true,
      closeTimeout: 1,
      onConnect(session, callback) {
        connections++;
        const behaviour = current();
        if (behaviour !== 'no-greeting' && behaviour !== 'hang-up') return callback(refusalAt('connect'));
        attempts++;
        next.shift();
        if (behaviour === 'hang-up') end(session);
      },
      onAuth(auth, _session, callback) {
        const refusal = refusalAt('auth');
        const isRight = auth.username === 'doorman' && auth.password === password;
        callback(refusal ?? (isRight ? null : new Error('wrong user or password')), { user: 'doorman' });
      },
      onMailFrom(_address, _session, callback) {
        attempts++;
        callback(refusalAt('mail'));
      },
      onRcptTo(_address, session, callback) {
        if (current() !== 'mute-after-rcpt') return callback(refusalAt('rcpt'));
        for (const socket of socketsOf(session)) socket.unpipe();
        callback(Object.assign(new Error('refused by the test'), { responseCode: 550 }));
      },
      async onData(stream, session, callback) {
        const source = await buffer(stream).catch(() => undefined);
        // The sender left: the service has ended, or its attempt.
        if (source === undefined) return;
        const mail = readMail(String(source));
        const behaviour = current();
        const refusal = refusalAt('data');
        if (refusal) return callback(refusal);
        if (typeof behaviour === 'string') next.shift();
        if (behaviour === 'no-answer') return;
        const { mailFrom, rcptTo } = session.envelope;
        const recipients = rcptTo.map(({ address }) => address);
        const from = mailFrom ? mailFrom.address : '';
        if (behaviour !== 'drop') mails.push({ from, to: recipients.join(' '), recipients, ...mail });
        if (behaviour === 'drop' || behaviour === 'accept-and-drop') end(session);
        callback();
      },
    });
    // Connections that a test ends by force.
    server.on('error', () => {});
    server.server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    return server;
  }

  let server = open();
  const listen = async () => {
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    // A server that listens on a port has this kind of address.
    port = (server.server.address() as AddressInfo).port;
  };
  const close = async () => {
    if (!server.server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  const service: SmtpService = {
    get url() {
      return `smtp://${password === undefined ? '' : `doorman:${encodeURIComponent(password)}@`}127.0.0.1:${port}`;
    },
    get connections() {
      return connections;
    },
    get attempts() {
      return attempts;
    },
    received: (to) => mails.filter(({ recipients }) => to === undefined || recipients.includes(to)),
    answerNext: (behaviour) => void next.push(behaviour),
    answerAlways(behaviour) {
      always = behaviour;
    },
    goAway: close,
    async comeBack() {
      server = open();
      await listen();
    },
    [Symbol.asyncDispose]: close,
  };
  disposeAfter(t, service);
  return service;
}

/** Reads what `nodemailer` writes: a text and an HTML part, in base64 or quoted-printable. */
function readMail(source: string): Pick<ReceivedMail, 'subject' | 'text' | 'html' | 'headers'> {
  const { headers, body } = readPart(source);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  const parts =
    boundary === undefined ? [{ headers, body }] : body.split(`--${boundary}`).slice(1, -1).map(readPart);
  const textOf = (type: string) => {
    const part = parts.find((part) => part.headers['content-type']?.startsWith(type));
    return part ? decodeBody(part.body, part.headers['content-transfer-encoding']) : '';
  };
  return {
    subject: decodeWords(headers.subject ?? ''),
    text: textOf('text/plain'),
    html: textOf('text/html'),
    headers,
  };
}

function readPart(source: string): { headers: Record<string, string>; body: string } {
  const part = source.replace(/^\r\n/, '');
  const end = part.indexOf('\r\n\r\n');
  const lines = part
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: part.slice(end + 4) };
}

function decodeBody(body: string, encoding = '7bit'): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? decodeQuoted(body.replaceAll('=\r\n', ''))
        : Buffer.from(body);
  return String(bytes).replaceAll('\r\n', '\n').trimEnd();
}

/** Encoded words of a header (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, word: string) =>
      String(
        encoding.toLowerCase() === 'b'
          ? Buffer.from(word, 'base64')
          : decodeQuoted(word.replaceAll('_', ' ')),
      ),
    );
}

function decodeQuoted(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/=([\dA-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}
