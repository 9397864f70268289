import { accountJobs } from './accounts/account-services.ts';
import { chatJobs } from './chat/chat-services.ts';
import type { PeriodicJob } from './clock.ts';
import { ClockSteps } from './clock-steps.ts';
import { countExternalChanges } from './db/external-changes.ts';
import { apiLimitJobs } from './http/api-limits.ts';
import { inboxJobs } from './inbox/inbox-services.ts';
import { presenceJobs } from './presence/presence-services.ts';
import { pushJobs } from './push/push-services.ts';
import type { Services } from './services.ts';

const EXTERNAL_CHANGES_MS = 500;
const CLOCK_STEPS_MS = 1000;

/**
 * Runs the periodic jobs of all rooms, and two that concern every room: they notice that a command of the operator wrote to the
 * database beside the server, and that the wall clock was set. A job that fails is logged and runs again after its interval.
 */
export function startPeriodicJobs(services: Services): AsyncDisposable {
  const { accounts, chat, clock, db, events, inbox, limits, log, presence } = services;
  const jobs: PeriodicJob[] = [
    { name: 'check external changes', everyMs: EXTERNAL_CHANGES_MS, run: checkExternalChanges(services) },
    { name: 'notice clock steps', everyMs: CLOCK_STEPS_MS, run: noticeClockStep(services) },
    ...presenceJobs(presence),
    ...chatJobs(chat),
    ...inboxJobs(db, clock, inbox),
    ...accountJobs(db, clock, events, accounts),
    ...apiLimitJobs(limits),
    ...pushJobs(db, clock),
  ];

  const started = jobs.map(({ name, everyMs, run }) => {
    let running: Promise<void> | null = null;
    const start = () => {
      running ??= run()
        .catch((err) => log.error({ err, job: name }, 'a periodic job failed'))
        .finally(() => {
          running = null;
        });
    };
    const interval = clock.every(everyMs, start);
    start();
    return {
      stop: async () => {
        interval[Symbol.dispose]();
        await running;
      },
    };
  });

  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((job) => job.stop()));
      await Promise.all(jobs.map((job) => job.runsAtStop && job.run()));
    },
  };
}

/** Reads keys and sessions again after a command of the operator has changed the database. */
function checkExternalChanges({ accounts, db, events, push }: Services): () => Promise<void> {
  let known: number | undefined;
  return async () => {
    const changes = await countExternalChanges(db);
    if (known !== undefined && changes !== known) {
      await Promise.all([accounts.tokens.reload(db), push.vapidKeys.reload(db)]);
      accounts.authentication.invalidateAll();
      events.publish({ type: 'external-change' });
    }
    // Only now: if a read failed, the next run does it again.
    known = changes;
  };
}

function noticeClockStep({ clock, events, log }: Services): () => Promise<void> {
  const clockSteps = new ClockSteps(clock);
  return async () => {
    const stepMs = clockSteps.takeMs();
    if (stepMs === 0) return;
    log.info({ stepMs }, 'the wall clock was set');
    events.publish({ type: 'clock-step' });
  };
}
