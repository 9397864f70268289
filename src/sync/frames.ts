import { Type } from 'typebox';
import { type FrameTable, frameKind } from '../frames/define-frame.ts';
import type { Services } from '../services.ts';
import { takeSnapshot } from './snapshot.ts';

const AckFields = Type.Object({ seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) });

/**
 * `ack`: the device has all events up to `seq` that were written to this connection; `seq` only rises. Acknowledged by an attentive
 * device, they are seen (architecture 8.1). `sync`: the snapshot from which a device starts.
 */
export function syncFrames({ chat, db, inbox, limits, push }: Services): FrameTable {
  return new Map([
    [
      'ack',
      frameKind(AckFields, (from, frame) => {
        if (!from.acknowledge(frame.seq)) return undefined;
        chat.deliveryReceipts.note(from.userId, from.ackedSeq);
        if (from.isAttentive) push.attention.acknowledge(from.userId, from.ackedSeq, from.device);
        return undefined;
      }),
    ],
    [
      'sync',
      frameKind(Type.Object({}), (from) => {
        limits.sync.take(from.userId, from);
        return takeSnapshot(db, from.userId, inbox.epoch);
      }),
    ],
  ]);
}
