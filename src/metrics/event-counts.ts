import { Durations } from '../db/durations.ts';
import type { LogEventName } from '../events/log-events.ts';
import type { Services } from '../services.ts';

/** Events of the log: those that this process stored, and those that it wrote to sockets. */
export class EventCounts {
  readonly appended = new Map<LogEventName, number>();
  /** To devices that were connected when the event was stored, and to others. */
  readonly delivered = { live: 0, missed: 0 };
  /** From the time of an event, which is taken before its commit, until it is written to a device that was connected. */
  readonly lag = new Durations([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]);

  constructor({ clock, events, inbox }: Pick<Services, 'clock' | 'events' | 'inbox'>) {
    events.subscribe((event, origin) => {
      if (event.type !== 'inbox' || origin === 'other') return;
      const { event: name } = event.event;
      this.appended.set(name, (this.appended.get(name) ?? 0) + 1);
    });
    inbox.delivery.onWritten(({ at }, isLive) => {
      if (!isLive) {
        this.delivered.missed++;
        return;
      }
      this.delivered.live++;
      this.lag.add('', Math.max(0, clock.now() - at) / 1000);
    });
  }
}
