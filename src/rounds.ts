import { endUnusedSessions } from './accounts/sessions.ts';
import { countOutsideChanges } from './db/outside-changes.ts';
import { trimInboxes } from './inbox/trim.ts';
import { settleEarlyReceipts } from './push/receipts.ts';
import { removeUnusable } from './push/subscriptions.ts';
import type { Services } from './services.ts';

const OUTSIDE_CHANGES_MS = 500;
/** How late watchers and senders may hear of what is gathered for them (DESIGN 5, 6). */
const GATHER_MS = 1000;
const SWEEP_MS = 5_000;
const SESSION_USE_MS = 60_000;
const CLEAN_UP_MS = 60 * 60 * 1000;

/**
 * What the service does by the clock: noticing what a command of the operator wrote beside it, telling what is gathered
 * of presence and receipts, finding devices that missed a hint, writing down which sessions were used, and removing what
 * ended by age. A round that fails is logged and tried again at its next turn.
 */
export function startRounds(services: Services): AsyncDisposable {
  const { authentication, db, delivery, events, keyring, log, now, receipts, tokens, watchers } = services;
  let seen: number | undefined;

  async function lookOutside(): Promise<void> {
    const changes = await countOutsideChanges(db);
    const isNews = seen !== undefined && changes !== seen;
    seen = changes;
    if (!isNews) return;
    await Promise.all([tokens.reload(db), keyring.reload(db)]);
    authentication.forgetAll();
    events.publish({ type: 'outside-change' });
  }

  async function cleanUp(): Promise<void> {
    const sessionIds = await endUnusedSessions(db, now());
    if (sessionIds.length > 0) events.publish({ type: 'sessions-ended', sessionIds, reason: 'ended' });
    await removeUnusable(db, now());
    await settleEarlyReceipts(db, now());
    await trimInboxes(db, now());
  }

  const rounds = [
    every(OUTSIDE_CHANGES_MS, lookOutside),
    every(GATHER_MS, () => watchers.tell()),
    every(GATHER_MS, () => receipts.settle()),
    every(SWEEP_MS, () => delivery.sweep()),
    every(SESSION_USE_MS, () => authentication.noteUse()),
    every(CLEAN_UP_MS, cleanUp),
  ];

  function every(ms: number, round: () => Promise<void>) {
    let running: Promise<void> | null = null;
    const run = () => {
      running ??= round()
        .catch((err) => log.error({ err, round: round.name }, 'a round failed'))
        .finally(() => {
          running = null;
        });
    };
    const timer = setInterval(run, ms);
    timer.unref();
    run();
    return {
      stop: async () => {
        clearInterval(timer);
        await running;
      },
    };
  }

  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(rounds.map((round) => round.stop()));
      await Promise.all([authentication.noteUse(), receipts.settle(), watchers.tell()]);
    },
  };
}
