import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from './crowd.ts';
import { Device } from './devices.ts';
import type { Scope } from './dispose-after.ts';
import { eventually } from './eventually.ts';
import type { Caller } from './processes.ts';

/** A call each: far from the limit of a sender. */
const EVERY_MS = 400;
const RETRY_MS = 100;

/** A user who blocks another and ends a session of their own during a fault, while both still make calls. */
export interface Promises {
  /** Blocks and ends, again until it is answered. */
  cut(): Promise<void>;
  /** Ends the calls, and checks that none that began after its answer had an effect. */
  verify(): Promise<void>;
}

/** @param name begins the names of the users */
export async function keepPromises(t: Scope, service: Caller, name: string): Promise<Promises> {
  const [blocker, blocked] = [await join(service, `${name}blocker`), await join(service, `${name}blocked`)];
  const login = await service.post('/api/login', { username: `${name}blocker`, password: 'password' });
  const ended: string = login.body.data.token;
  const sessionId = JSON.parse(Buffer.from(ended.split('.')[1] ?? '', 'base64url').toString()).sid;
  const device = new Device(blocker);
  await device.stay(service.url);

  let isCalling = true;
  t.after(async () => {
    isCalling = false;
    await device.leave();
  });
  const statusOf = (call: ReturnType<Caller['get']>) =>
    call.then(
      ({ status }) => status,
      () => 0,
    );
  /** Calls until the end. @returns the statuses of those that began after `isCut` */
  async function keepCalling(
    isCut: () => boolean,
    call: (n: number) => ReturnType<Caller['get']>,
    after: number[],
  ) {
    for (let n = 0; isCalling; n++) {
      const isLate = isCut();
      const [status] = await Promise.all([statusOf(call(n)), delay(EVERY_MS)]);
      if (isLate) after.push(status);
    }
  }
  const [isBlocked, isEnded] = [{ value: false }, { value: false }];
  const [sends, reads]: [number[], number[]] = [[], []];
  const late = new Set<string>();
  const calling = Promise.all([
    keepCalling(
      () => isBlocked.value,
      (n) => {
        const cid = `${name}${n}`;
        if (isBlocked.value) late.add(cid);
        return service.post('/api/messages', { to: blocker.id, cid, body: 'hello' }, blocked.token);
      },
      sends,
    ),
    keepCalling(
      () => isEnded.value,
      () => service.get('/api/user/blocked', ended),
      reads,
    ),
  ]);

  /** Until it is answered; 404 is the answer to a repeat whose first answer was lost. */
  async function insist(path: string, body: object, done: { value: boolean }): Promise<void> {
    while (![200, 404].includes(await statusOf(service.post(path, body, blocker.token))))
      await delay(RETRY_MS);
    done.value = true;
  }
  return {
    async cut() {
      await Promise.all([
        insist('/api/user/block', { blockedId: blocked.id }, isBlocked),
        insist('/api/sessions/end', { id: sessionId }, isEnded),
      ]);
    },
    async verify() {
      await eventually(() => sends.includes(403) && reads.includes(401));
      isCalling = false;
      await calling;
      assert.deepEqual([sends.includes(200), reads.includes(200)], [false, false]);
      device.verify();
      assert.deepEqual(
        device.messages.filter(({ cid }) => late.has(cid)),
        [],
      );
      await device.leave();
    },
  };
}
