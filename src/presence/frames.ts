import type { Static } from 'typebox';
import type { FrameSender } from '../frames/frame-sender.ts';
import type { Services } from '../services.ts';
import type { ViewFields, WatchFields } from './schemas.ts';
import type { WatchingDevice } from './watching-devices.ts';

/** `watch`: which users the device watches. `view`: whether the device is visible and in use. */
export function presenceFrames({ presence, push }: Services) {
  const { attention } = push;
  return {
    watch: (from: FrameSender & WatchingDevice, { userIds }: Static<typeof WatchFields>) => {
      presence.watchLimit.take(from, from.userId);
      return presence.watchers.watch(from, userIds);
    },
    view: (from: FrameSender, { visible, active = visible }: Static<typeof ViewFields>) => {
      presence.online.update(from.userId, from, () => from.setVisibility(visible, active));
      if (from.isAttentive && from.ackedSeq > 0)
        attention.acknowledge(from.userId, from.ackedSeq, from.device);
    },
  };
}
