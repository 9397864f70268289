import { type Static, Type } from 'typebox';
import type { FrameSender } from '../frames/frame-sender.ts';
import type { Services } from '../services.ts';
import { takeSnapshot } from './snapshot.ts';

export const AckFields = Type.Object({ seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) });
export const SyncFields = Type.Object({});

/**
 * `ack`: the device has all events up to `seq` that were written to this connection; `seq` only rises. Acknowledged by an attentive
 * device, they are seen (architecture 8.1). `sync`: the snapshot from which a device starts.
 */
export function syncFrames({ chat, clock, db, inbox, limits, push }: Services) {
  return {
    ack: (from: FrameSender, frame: Static<typeof AckFields>) => {
      if (!from.acknowledge(frame.seq)) return;
      chat.deliveryReceipts.note(from.userId, from.ackedSeq);
      if (from.isAttentive) push.attention.acknowledge(from.userId, from.ackedSeq, from.device);
    },
    sync: (from: FrameSender) => {
      limits.sync.take(from, from.userId);
      return takeSnapshot(db, from.userId, inbox.epoch, clock.now());
    },
  };
}
