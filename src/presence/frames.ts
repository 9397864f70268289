import { defineFrame, defineLocalFrame, type FrameSender } from '../frames/define-frame.ts';
import type { Services } from '../services.ts';
import { ViewFields, WatchFields } from './schemas.ts';
import type { WatchingDevice } from './watchers.ts';

type Viewer = FrameSender & WatchingDevice;

/** `watch`: which users the device watches. `view`: whether the device is visible and in use. */
export function presenceFrames({ presence, push }: Services) {
  const { attention } = push;
  return {
    watch: defineFrame(WatchFields, (from: Viewer, { userIds }) => {
      presence.watchLimit.take(from.userId, from);
      return presence.watchers.watch(from, userIds);
    }),
    view: defineLocalFrame(ViewFields, (from, { visible, active = visible }) => {
      const wasActive = from.isActive;
      from.setVisibility(visible, active);
      if (active !== wasActive) presence.local.changeActivity(from.userId, active);
      attention.setAttentive(from, from.userId, from.isAttentive);
      if (from.isAttentive && from.ackedSeq > 0)
        attention.acknowledge(from.userId, from.ackedSeq, from.device);
    }),
  };
}
