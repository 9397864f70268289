import type { TestSocket } from './sockets.ts';

/** A frame that the client's library would not send, masked with zeros. */
export function rawFrame(firstByte: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(firstByte, 0x80 | payload.length, 0, 0, 0, 0), payload]);
}

/** Writes bytes directly to the client's TCP socket. */
export function writeRaw(socket: TestSocket, bytes: Buffer): void {
  const wire = Reflect.get(socket.ws, '_socket');
  wire.write(bytes);
}
