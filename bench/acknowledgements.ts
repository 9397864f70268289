import { setTimeout as delay } from 'node:timers/promises';
import type { ThinSocket } from './thin-socket.ts';

/** As the kit's devices: so long after the first event that waits (`client/src/timeouts.ts`). */
const ACK_MS = 250;
/** The service gathers acknowledgements for a second; the receipts themselves are events, which are acknowledged too. */
const LAST_ACKS_MS = ACK_MS + 1250;
const EVENT = Buffer.from('{"type":"event","seq":');
const RECEIPT = /"event":"marked".*"by":"([^"]+)","received":(\d+)/;

/** A device that acknowledges each event it gets. @returns what to call with each text */
export function acknowledge(socket: ThinSocket): (text: Buffer) => void {
  let seq = 0;
  let isWaiting = false;
  return (text) => {
    if (text.compare(EVENT, 0, EVENT.length, 0, Math.min(EVENT.length, text.length)) !== 0) return;
    seq = Number.parseInt(text.toString('latin1', EVENT.length, EVENT.length + 16), 10);
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      socket.sendText(`{"type":"ack","seq":${seq}}`);
    }, ACK_MS);
  };
}

/** What a sender knows of their messages to one recipient, from a first one on. */
export class Receipts {
  readonly #recipientId: string;
  #sent = 0;
  #received = 0;
  #onReceived = () => {};

  constructor(recipientId: string) {
    this.#recipientId = recipientId;
  }

  noteSent(): void {
    this.#sent++;
  }

  /** @param text a frame to the sender */
  read(text: Buffer): void {
    const [, by, received] = RECEIPT.exec(text.toString('latin1')) ?? [];
    if (by !== this.#recipientId) return;
    this.#received = Number(received);
    if (this.#received === this.#sent) this.#onReceived();
  }

  /** Resolves when the recipient has received all messages that were sent. */
  async complete(): Promise<void> {
    if (this.#received === this.#sent) return;
    await new Promise<void>((resolve) => {
      this.#onReceived = resolve;
    });
  }
}

/** Resolves when all receipts are complete, and those who got them have acknowledged them in turn. */
export async function settle(pairs: readonly { readonly receipts: Receipts }[]): Promise<void> {
  await Promise.all(pairs.map(({ receipts }) => receipts.complete()));
  await delay(LAST_ACKS_MS);
}
