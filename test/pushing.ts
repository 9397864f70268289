import type { TestContext } from 'node:test';
import type { PushLogEntry } from '../src/push/schemas.ts';
import type { World } from '../src/services.ts';
import type { TestDatabase } from './databases.ts';
import { disposeAfter } from './dispose-after.ts';
import { type Person, startService, type TestService } from './harness.ts';
import { type PushService, type SubscriptionJson, startPushService } from './push-service.ts';

/** A service with two users and a push service, and a clock that only the test moves. */
export interface Pushing {
  readonly service: TestService;
  readonly pushService: PushService;
  readonly alice: Person;
  readonly bob: Person;
  readonly now: () => number;
  /** Moves the clock, and sends all pushes that are due by then. */
  pass(ms: number): Promise<void>;
  /**
   * Sets the wall clock forward, or back if negative; monotonic time and timers go on. What the service does at least each
   * second, such as looking at the clock, it does at once.
   */
  setClock(byMs: number): void;
  /** Subscribes a device of the person, which their session confirms unless said otherwise. */
  subscribe(
    person: Person,
    options?: { unconfirmed?: boolean; of?: SubscriptionJson; lang?: string },
  ): Promise<SubscriptionJson>;
  /** Writes a message. @returns the number of its event in the inbox of `to` */
  write(from: Person, to: Person, body?: string): Promise<number>;
  /** Writes a message, and sends all pushes that are due. */
  writeAndPush(from: Person, to: Person, body?: string): Promise<void>;
  log(person: Person): Promise<PushLogEntry[]>;
  /** Outcomes in the log, the newest first. */
  outcomes(person: Person): Promise<string[]>;
  devices(person: Person): Promise<{ id: string; confirmed: number }[]>;
}

interface Options {
  /** The push service takes tokens for this host. */
  pushHost?: string;
  world?: Pick<World, 'pushDeadlineMs' | 'resolve'>;
  /** The clock is the real one. */
  realTime?: boolean;
}

export async function startPushing(
  t: TestContext,
  database: TestDatabase,
  { world, realTime = false, pushHost }: Options = {},
): Promise<Pushing> {
  let clock = Date.now();
  let setByMs = 0;
  const now = () => (realTime ? Date.now() : clock) + setByMs;
  const monotonicMs = () => (realTime ? performance.now() : clock);
  const everySecond = new Set<() => void>();
  const every: World['every'] = (ms, run) => {
    if (ms <= 1_000) everySecond.add(run);
    const interval = setInterval(run, ms).unref();
    return {
      [Symbol.dispose]() {
        everySecond.delete(run);
        clearInterval(interval);
      },
    };
  };
  const pushService = await startPushService({ now, ...(pushHost !== undefined && { name: pushHost }) });
  disposeAfter(t, pushService);
  const service = await startService(t, database, {
    env: { PUSH_ALLOW_PRIVATE: '1', TOKEN_TTL: '180d', PUBLIC_URL: 'https://chat.example.org' },
    world: { ...world, now, monotonicMs, every },
  });
  const [alice, bob] = [await service.join('alice'), await service.join('bob')];

  async function ok(answer: Promise<{ status: number; text: string }>): Promise<void> {
    const { status, text } = await answer;
    if (status !== 200) throw new Error(text);
  }

  const pushing: Pushing = {
    service,
    pushService,
    alice,
    bob,
    now,
    async pass(ms) {
      clock += ms;
      await service.pushes.runDue();
    },
    setClock(byMs) {
      setByMs += byMs;
      for (const run of everySecond) run();
    },
    async subscribe(person, { unconfirmed = false, of, lang } = {}) {
      const { publicKey } = service.services.push.vapidKeys;
      const subscription = of ?? pushService.subscribe(publicKey);
      const by = unconfirmed ? {} : { token: person.token };
      await ok(service.post('/api/push/subscribe', { userId: person.id, subscription, lang }, by));
      return subscription;
    },
    async write(from, to, body = 'hello') {
      const message = { to: to.id, cid: crypto.randomUUID(), body };
      await ok(service.post('/api/messages', message, { token: from.token }));
      const row = await service.services.db.get<{ seq: number }>`
        select seq from inbox_heads where user_id = ${to.id}`;
      return row?.seq ?? 0;
    },
    async writeAndPush(from, to, body) {
      await pushing.write(from, to, body);
      await service.pushes.runDue();
    },
    log: async (person) => (await service.get('/api/push/log', { token: person.token })).body.data,
    outcomes: async (person) => (await pushing.log(person)).map((entry) => entry.outcome),
    devices: async (person) => (await service.get('/api/push/devices', { token: person.token })).body.data,
  };
  return pushing;
}

/** The notifications that the push service accepted for a device, decrypted. */
export function notifications(pushService: PushService, { endpoint }: Pick<SubscriptionJson, 'endpoint'>) {
  return pushService.received(endpoint).map((push) => JSON.parse(push.text ?? '').notification);
}
