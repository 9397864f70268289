import { removeIdleProofs } from './accounts/device-proofs.ts';
import { endIdleSessions } from './accounts/sessions.ts';
import { ClockSteps } from './clock-steps.ts';
import { countExternalChanges } from './db/external-changes.ts';
import { trimInboxes } from './inbox/trim.ts';
import { applyEarlyReceipts } from './push/log/receipts.ts';
import { removeExpired } from './push/subscriptions/subscriptions.ts';
import type { Services } from './services.ts';

const OUTSIDE_CHANGES_MS = 500;
/** How late watchers and senders may hear of what is gathered for them. */
const GATHER_MS = 1000;
const SWEEP_MS = 5_000;
const SESSION_USE_MS = 60_000;
const REPORT_MS = 60_000;
const CLEAN_UP_MS = 60 * 60 * 1000;

/**
 * What the service does by the clock: noticing what a command of the operator wrote beside it and that the clock was set,
 * sending what is gathered of presence and receipts, finding devices that missed a hint, writing down which sessions were
 * used, logging what rate limits refused, and removing what ended by age. A round that fails is logged and tried again at its next turn.
 */
export function startRounds(services: Services): AsyncDisposable {
  const { authentication, db, delivery, events, keyring, log, now } = services;
  const { receipts, refusals, tokens, watchers } = services;
  const clockSteps = new ClockSteps(services);
  let seen: number | undefined;

  async function lookOutside(): Promise<void> {
    const changes = await countExternalChanges(db);
    const isNews = seen !== undefined && changes !== seen;
    seen = changes;
    if (!isNews) return;
    await Promise.all([tokens.reload(db), keyring.reload(db)]);
    authentication.invalidateAll();
    events.publish({ type: 'outside-change' });
  }

  async function noticeClockStep(): Promise<void> {
    const stepMs = clockSteps.takeMs();
    if (stepMs === 0) return;
    log.info({ stepMs }, 'the wall clock was set');
    events.publish({ type: 'clock-step' });
  }

  async function cleanUp(): Promise<void> {
    await endIdleSessions({ db, events }, now());
    await removeIdleProofs(db, now());
    await removeExpired(db, now());
    await applyEarlyReceipts(db, now());
    await trimInboxes(db, now());
  }

  const rounds = [
    start(OUTSIDE_CHANGES_MS, lookOutside),
    start(GATHER_MS, () => watchers.tell()),
    start(GATHER_MS, () => receipts.settle()),
    start(GATHER_MS, noticeClockStep),
    start(SWEEP_MS, () => delivery.sweep()),
    start(SESSION_USE_MS, () => authentication.flushUse()),
    start(REPORT_MS, async () => refusals.report()),
    start(CLEAN_UP_MS, cleanUp),
  ];

  function start(ms: number, round: () => Promise<void>) {
    let running: Promise<void> | null = null;
    const run = () => {
      running ??= round()
        .catch((err) => log.error({ err, round: round.name }, 'a round failed'))
        .finally(() => {
          running = null;
        });
    };
    const interval = services.every(ms, run);
    run();
    return {
      stop: async () => {
        interval[Symbol.dispose]();
        await running;
      },
    };
  }

  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(rounds.map((round) => round.stop()));
      refusals.report();
      await Promise.all([authentication.flushUse(), receipts.settle(), watchers.tell()]);
    },
  };
}
