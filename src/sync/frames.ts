import { Type } from 'typebox';
import { type FrameTable, frameKind } from '../frames/frame-kinds.ts';
import type { Services } from '../services.ts';
import { takeSnapshot } from './sync.ts';

export function syncFrames({ db, epoch, readLimits }: Services): FrameTable {
  return new Map([
    [
      'sync',
      frameKind(Type.Object({}), (from) => {
        readLimits.sync.take(from.userId, from);
        return takeSnapshot(db, from.userId, epoch);
      }),
    ],
  ]);
}
