import { accountJobs } from './accounts/account-services.ts';
import { chatJobs } from './chat/chat-services.ts';
import type { PeriodicJob } from './clock.ts';
import { ClockSteps } from './clock-steps.ts';
import { changeJobs } from './events/change-reader.ts';
import { apiLimitJobs } from './http/api-limits.ts';
import { inboxJobs } from './inbox/inbox-services.ts';
import { leavingJobs } from './leaving/leaving-jobs.ts';
import { pictureJobs } from './pictures/remove-pictures.ts';
import { presenceJobs } from './presence/presence-services.ts';
import { pushJobs } from './push/push-services.ts';
import type { Services } from './services.ts';
import { userJobs } from './users/name-walk.ts';

const CLOCK_STEPS_MS = 1000;

/**
 * Runs the periodic jobs of all rooms, and one that concerns every room: it notices that the wall clock was set. A job that fails is
 * logged and runs again after its interval.
 */
export function startPeriodicJobs(services: Services): AsyncDisposable {
  const { accounts, chat, clock, db, events, inbox, limits, log, presence } = services;
  const jobs: PeriodicJob[] = [
    { name: 'notice clock steps', everyMs: CLOCK_STEPS_MS, run: noticeClockStep(services) },
    ...(clock.job ? [clock.job] : []),
    ...changeJobs(db, events.changes),
    ...presenceJobs(presence),
    ...chatJobs({ db, events }, clock, chat),
    ...inboxJobs(db, clock, inbox),
    ...accountJobs(db, clock, events, accounts, limits),
    ...apiLimitJobs(limits),
    ...pictureJobs(db, clock),
    ...leavingJobs(db, clock, events),
    ...pushJobs(db, clock),
    ...userJobs(db, clock),
  ];
  const stopping = new AbortController();

  const started = jobs.map(({ name, everyMs, run }) => {
    let running: Promise<void> | null = null;
    const start = () => {
      running ??= run(stopping.signal)
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
      stopping.abort();
      await Promise.all(started.map((job) => job.stop()));
      await Promise.all(jobs.map((job) => job.runsAtStop && job.run(stopping.signal)));
    },
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
