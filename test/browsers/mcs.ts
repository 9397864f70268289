import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { endingsOf, type Scope } from './endings.ts';
import { bytesField, intField, Message, readVarint, varint } from './protocol-buffers.ts';

/** A Chromium that has checked in. */
export interface Device {
  readonly secret: bigint;
  /** Messages that the device has not acknowledged, by the ids that it acknowledges. */
  readonly queue: Map<string, { stanza: Buffer; onArrival: () => void }>;
  /** Sends all waiting messages, if the device is connected. */
  flush?: (() => void) | undefined;
}

const TAGS = { ping: 0, pong: 1, login: 2, loggedIn: 3, iq: 7, data: 8 };

/** The field in which each kind of stanza acknowledges ours. */
const LAST_RECEIVED = new Map([
  [TAGS.ping, 2],
  [TAGS.pong, 2],
  [TAGS.iq, 10],
  [TAGS.data, 11],
]);

const VERSION = 41;

/**
 * The connection on which Google's push service hands over messages (Mobile Connection Server), on a free port of
 * 127.0.0.1. Each stanza is a tag, a length and a Protocol Buffers message; a version byte comes first in either
 * direction.
 *
 * @param devices by their ids
 * @returns its port
 */
export async function startMcs(
  scope: Scope,
  { tls, devices }: { tls: { key: string; cert: string }; devices: ReadonlyMap<string, Device> },
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(tls, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket, devices);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endingsOf(scope).defer(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  // The address of a TCP server is an object.
  return (server.address() as AddressInfo).port;
}

function serve(socket: Socket, devices: ReadonlyMap<string, Device>): void {
  let unread: Buffer = Buffer.alloc(0);
  let hasVersion = false;
  let device: Device | undefined;
  let sent = 0;
  /** The number of the stanza that carried each message. */
  const carriers = new Map<string, number>();

  function send(tag: number, body: Buffer): number {
    socket.write(Buffer.concat([Buffer.of(tag), varint(body.length), body]));
    sent += 1;
    return sent;
  }

  function flush(): void {
    for (const [id, { stanza }] of device?.queue ?? []) {
      if (!carriers.has(id)) carriers.set(id, send(TAGS.data, stanza));
    }
  }

  function settle(hasArrived: (id: string) => boolean): void {
    for (const [id, { onArrival }] of device?.queue ?? []) {
      if (!hasArrived(id)) continue;
      device?.queue.delete(id);
      onArrival();
    }
  }

  function logIn(login: Message): void {
    device = devices.get(login.texts(4)[0] ?? '');
    if (!device || String(device.secret) !== login.texts(5)[0]) return void socket.destroy();
    const received = login.texts(10);
    settle((id) => received.includes(id));
    socket.write(Buffer.of(VERSION));
    send(TAGS.loggedIn, Buffer.concat([bytesField(1, login.texts(1)[0] ?? ''), intField(8, Date.now())]));
    device.flush = flush;
    flush();
  }

  function take(tag: number, message: Message): void {
    if (tag === TAGS.login) logIn(message);
    const last = Number(message.number(LAST_RECEIVED.get(tag) ?? 0) ?? 0);
    settle((id) => (carriers.get(id) ?? Number.POSITIVE_INFINITY) <= last);
    if (tag === TAGS.ping) send(TAGS.pong, Buffer.alloc(0));
  }

  socket.on('data', (bytes: Buffer) => {
    unread = Buffer.concat([unread, bytes]);
    if (!hasVersion) {
      hasVersion = true;
      unread = unread.subarray(1);
    }
    for (let stanza = readStanza(unread); stanza; stanza = readStanza(unread)) {
      unread = stanza.rest;
      take(stanza.tag, new Message(stanza.body));
    }
  });
  socket.on('close', () => {
    if (device?.flush === flush) device.flush = undefined;
  });
}

function readStanza(bytes: Buffer): { tag: number; body: Buffer; rest: Buffer } | undefined {
  // A length of more than five bytes does not occur.
  const tagAndLength = bytes.subarray(0, 6);
  if (bytes.length < 2 || tagAndLength.subarray(1).every((byte) => byte > 127)) return undefined;
  const [length, start] = readVarint(bytes, 1);
  const end = start + Number(length);
  if (bytes.length < end) return undefined;
  return { tag: bytes.readUInt8(0), body: bytes.subarray(start, end), rest: bytes.subarray(end) };
}
