import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const TEXT_FRAME = 0x81;
const PING_FRAME = 0x89;
const PONG_FRAME = 0x8a;
/** Bytes of one read; longer frames are joined from several. */
const READ_BYTES = 64 * 1024;

/** A WebSocket client with a small part of RFC 6455, so that it costs less than any server it measures. */
export interface ThinSocket {
  /** Called with the text of each frame; the bytes are valid until it returns. */
  onText: (text: Buffer) => void;
  sendText(text: string): void;
  close(): void;
}

/** All sockets of the process read into this buffer, one after the other. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * Connects to `/ws`.
 *
 * @param from the address to connect from, since each has its own ports
 * @param onEnd called when the server ends the connection, with the bytes of its close frame if it sent one
 */
export async function openThinSocket(
  port: number,
  from: string,
  onEnd: (why: Error) => void,
): Promise<ThinSocket> {
  const upgraded = Promise.withResolvers<void>();
  let isUpgraded = false;
  let isClosing = false;
  let rest = Buffer.alloc(0);
  const socket = connect({
    port,
    host: '127.0.0.1',
    localAddress: from,
    noDelay: true,
    onread: {
      buffer: readBuffer,
      callback(length) {
        const bytes = readBuffer.subarray(0, length);
        rest = takeFrames(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]));
        return true;
      },
    },
  });
  const thin: ThinSocket = {
    onText: () => {},
    sendText: (text) => void socket.write(clientFrame(TEXT_FRAME, Buffer.from(text))),
    close() {
      isClosing = true;
      socket.destroy();
    },
  };

  /** @returns the bytes of an incomplete frame at the end */
  function takeFrames(bytes: Buffer): Buffer<ArrayBuffer> {
    let at = 0;
    if (!isUpgraded) {
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) return Buffer.from(bytes);
      const status = bytes.toString('latin1', 9, 12);
      if (status !== '101') upgraded.reject(new Error(`the upgrade was answered ${status}`));
      isUpgraded = true;
      upgraded.resolve();
      at = end + HEAD_END.length;
    }
    while (bytes.length - at >= 2) {
      const short = bytes.readUInt8(at + 1); // the server's frames have no mask
      const isLong = short === 126;
      if (isLong && bytes.length - at < 4) break;
      const length = isLong ? bytes.readUInt16BE(at + 2) : short;
      const start = at + (isLong ? 4 : 2);
      if (short === 127) throw new Error('a frame of more than 64 KiB');
      if (bytes.length < start + length) break;
      const payload = bytes.subarray(start, start + length);
      const kind = bytes.readUInt8(at);
      if (kind === TEXT_FRAME) thin.onText(payload);
      else if (kind === PING_FRAME) socket.write(clientFrame(PONG_FRAME, payload));
      else end(new Error(`the server ended the connection: ${payload.toString('latin1')}`));
      at = start + length;
    }
    return at === bytes.length ? EMPTY : Buffer.from(bytes.subarray(at));
  }

  function end(why: Error): void {
    if (isClosing) return;
    isClosing = true;
    upgraded.reject(why);
    onEnd(why);
    socket.destroy();
  }

  socket.on('error', end);
  socket.on('close', () => end(new Error('the server closed the connection')));
  await Promise.race([once(socket, 'connect'), upgraded.promise]);
  socket.write(
    'GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await upgraded.promise;
  return thin;
}

const EMPTY = Buffer.alloc(0);

/** With a mask of zeros, which does not change the bytes. The server unmasks them nevertheless. */
function clientFrame(kind: number, payload: Buffer): Buffer {
  const isLong = payload.length > 125;
  const head = Buffer.alloc((isLong ? 4 : 2) + 4);
  head.writeUInt8(kind, 0);
  head.writeUInt8(0x80 | (isLong ? 126 : payload.length), 1);
  if (isLong) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
