import type { Services } from '../services.ts';
import { type FrameTable, frameKind } from '../sockets/frame-kinds.ts';
import { ViewFields, WatchFields } from './schemas.ts';

/** The frames by which a device says whether somebody is before it, and whom it wants to see. */
export function presenceFrames({ attention, presence, readLimits, watchers }: Services): FrameTable {
  return new Map([
    [
      'watch',
      frameKind(WatchFields, (from, { userIds }) => {
        readLimits.watch.take(from.userId, from);
        return watchers.watch(from, userIds);
      }),
    ],
    [
      'view',
      frameKind(ViewFields, (from, { visible, active = visible }) => {
        from.isVisible = visible;
        if (active !== from.isActive) {
          from.isActive = active;
          presence.changeActivity(from.userId, active);
        }
        attention.set(from, from.userId, from.isAttentive);
        if (from.isAttentive && from.ackedSeq > 0) attention.seen(from.userId, from.ackedSeq, from.device);
        return undefined;
      }),
    ],
  ]);
}
