import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { World } from '../../src/services.ts';
import { makeCertificate, publicKeyHash, trust } from './certificate.ts';
import { endingsOf, type Scope } from './endings.ts';
import { type Device, startMcs } from './mcs.ts';
import { bytesField, fixed64Field, intField, Message } from './protocol-buffers.ts';
import { findSubmissionFlaw, readBody, type Submission } from './push-submission.ts';
import { PATIENCE_MS } from './running-browser.ts';

/** The origins of Chromium's endpoints: of Debian's build, and of Google's. */
const ENDPOINT_HOSTS = ['jmt17.google.com', 'fcm.googleapis.com'];

export interface GcmService {
  /** For Chromium. */
  readonly switches: readonly string[];
  /** For `startSite`: endpoints of Google lead here. */
  readonly world: World;
  /** All posted pushes, accepted or not, in order. */
  readonly submissions: readonly Submission[];
  /** The first push to `endpoint` that its browser acknowledged. */
  acknowledged(endpoint: string): Promise<Submission>;
  /** Whether its browser unsubscribed, so that this endpoint answers 410. */
  isGone(endpoint: string): boolean;
}

interface Registration {
  device: Device;
  deviceId: string;
  /** Which subscription: `wp:`, the origin of the page, and an id. */
  subtype: string;
  app: string;
  /** The application server key. */
  sender: string;
  gone: boolean;
}

/**
 * A small version of Google's push service, on loopback. By its switches, Chromium checks in, registers and connects here,
 * and application servers post to its real endpoints (`https://jmt17.google.com/fcm/send/..`). Two things differ from the
 * real service: the host name resolves to this machine, and the process trusts a certificate made for the test. It ends
 * with `scope`.
 *
 * @returns the service, or why it cannot run on this machine
 */
export async function startGcmService(scope: Scope): Promise<GcmService | string> {
  if (Object.values(networkInterfaces()).every((addresses) => addresses?.every(({ internal }) => internal)))
    return 'Chromium takes a machine with no network but loopback for offline';
  const certificate = await makeCertificate(ENDPOINT_HOSTS);
  if (!certificate) return 'needs openssl: apt-get install openssl';

  const devices = new Map<string, Device>();
  /** By token, which is the end of the endpoint. */
  const registrations = new Map<string, Registration>();
  const submissions: Submission[] = [];
  const acknowledgements = new EventEmitter();
  const acknowledged = new Set<Submission>();

  // An own address, as other tests may use the same port at the same time.
  const host = `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}`;
  try {
    await listen(scope, createTlsServer(certificate, submit), host, 443);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return `port 443 of ${host} cannot be listened on (${error.code}): on Linux as root, or with net.ipv4.ip_unprivileged_port_start=443`;
  }
  trust(scope, certificate);
  const control = await listen(scope, createServer(answerControl), '127.0.0.1', 0);
  const mcs = await startMcs(scope, { tls: certificate, devices });

  async function answerControl(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (request.url === '/check-in') response.end(checkIn(new Message(body)));
    else response.end(`token=${register(new URLSearchParams(String(body)))}`);
  }

  /** An unknown Chromium gets an id and a secret, with which it registers and connects. */
  function checkIn(message: Message): Buffer {
    let id = message.number(2) ?? 0n;
    if (!devices.has(String(id))) {
      id = randomBytes(8).readBigUInt64BE() >> 2n;
      devices.set(String(id), { secret: randomBytes(8).readBigUInt64BE() >> 2n, queue: new Map() });
    }
    const secret = devices.get(String(id))?.secret ?? 0n;
    return Buffer.concat([
      intField(1, 1),
      intField(3, Date.now()),
      fixed64Field(7, id),
      fixed64Field(8, secret),
    ]);
  }

  function register(form: URLSearchParams): string {
    const deviceId = form.get('device') ?? '';
    const [subtype, app, sender] = [
      form.get('X-subtype') ?? '',
      form.get('app') ?? '',
      form.get('sender') ?? '',
    ];
    const device = devices.get(deviceId);
    if (!device) throw new Error(`A device that never checked in registers: ${deviceId}`);
    if (form.get('delete') === 'true') {
      for (const one of registrations.values()) {
        if (one.deviceId === deviceId && one.subtype === subtype) one.gone = true;
      }
      return subtype;
    }
    const token = randomBytes(100).toString('base64url');
    registrations.set(token, { device, deviceId, subtype, app, sender, gone: false });
    return token;
  }

  async function submit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = `https://${request.headers.host}`;
    const push: Submission = {
      endpoint: `${origin}${request.url}`,
      headers: request.headers,
      body: await readBody(request),
      status: 201,
      reason: undefined,
    };
    const registration = registrations.get(request.url?.replace(/^.*\//, '') ?? '');
    const flaw =
      (request.method !== 'POST' && { status: 405, reason: 'method' }) ||
      (!registration && { status: 404, reason: 'unknown' }) ||
      (registration?.gone && { status: 410, reason: 'gone' }) ||
      (registration && findSubmissionFlaw(push, { origin, applicationServerKey: registration.sender }));
    if (flaw) Object.assign(push, flaw);
    else if (registration) enqueue(registration, push);
    submissions.push(push);
    response.writeHead(push.status, push.status === 201 ? { location: `${push.endpoint}/sent` } : {});
    response.end(push.reason);
  }

  function enqueue({ device, subtype, app, sender }: Registration, push: Submission): void {
    const id = `0:${randomBytes(12).toString('hex')}`;
    const entry = (key: string, value: string) =>
      bytesField(7, Buffer.concat([bytesField(1, key), bytesField(2, value)]));
    const stanza = Buffer.concat([
      bytesField(3, sender),
      bytesField(5, app),
      entry('subtype', subtype),
      ...(push.body.length > 0 ? [entry('content-encoding', 'aes128gcm'), bytesField(21, push.body)] : []),
      bytesField(9, id),
      intField(17, Number(push.headers.ttl)),
      intField(18, Date.now()),
      // To be acknowledged at once.
      intField(24, 1),
    ]);
    const onArrival = () => {
      acknowledged.add(push);
      acknowledgements.emit(push.endpoint);
    };
    device.queue.set(id, { stanza, onArrival });
    device.flush?.();
  }

  return {
    switches: [
      `--gcm-checkin-url=http://127.0.0.1:${control}/check-in`,
      `--gcm-registration-url=http://127.0.0.1:${control}/register`,
      `--gcm-mcs-endpoint=https://127.0.0.1:${mcs}`,
      `--ignore-certificate-errors-spki-list=${publicKeyHash(certificate)}`,
    ],
    world: {
      resolve: async (name) => (ENDPOINT_HOSTS.includes(name) ? [{ address: host, family: 4 }] : []),
    },
    submissions,
    async acknowledged(endpoint) {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      for (;;) {
        const push = [...acknowledged].find((one) => one.endpoint === endpoint);
        if (push) return push;
        await once(acknowledgements, endpoint, { signal });
      }
    },
    isGone: (endpoint) => registrations.get(endpoint.replace(/^.*\//, ''))?.gone === true,
  };
}

async function listen(
  scope: Scope,
  server: Server & { closeAllConnections(): void },
  host: string,
  port: number,
): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  endingsOf(scope).defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  // The address of a TCP server is an object.
  return (server.address() as AddressInfo).port;
}
