import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Device, partnerOf, verifyConversation, verifyDevices } from './devices.ts';
import type { Scope } from './dispose-after.ts';
import { eventually } from './eventually.ts';
import type { Caller } from './processes.ts';

/** Each waits so long between two messages: far from the limit of 30 in 10 s. */
const EVERY_MS = 400;
/** Only catches a hang. */
const HANG_MS = 60_000;

/** Users who write to each other in pairs, each on one device that connects again whenever its connection ends. */
export interface Crowd {
  readonly devices: readonly Device[];
  /** Each device begins to write one message after the other. */
  write(): void;
  /** Waits until each device had this many further messages acknowledged, of those that it writes from now on. */
  more(count: number): Promise<void>;
  /**
   * Writes no more, waits until all messages are acknowledged, and checks that each is stored once and in order, and came to every
   * device once and in order.
   */
  stop(): Promise<void>;
}

export async function join(service: Caller, username: string): Promise<{ id: string; token: string }> {
  const { status, body } = await service.post('/api/register', { username, password: 'password' });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

export async function joinCrowd(t: Scope, service: Caller, count: number): Promise<Crowd> {
  // A busy machine may refuse more at once as overload.
  const people: { id: string; token: string }[] = [];
  while (people.length < count)
    people.push(...(await Promise.all([0, 1].map((i) => join(service, `writer${people.length + i}`)))));
  const devices = people.map((person) => new Device(person));
  let isWriting = false;
  let written: Promise<unknown> = Promise.resolve();
  t.after(async () => {
    isWriting = false;
    await Promise.all(devices.map((device) => device.leave()));
  });
  await Promise.all(devices.map((device) => device.stay(service.url)));
  return {
    devices,
    write() {
      if (isWriting) return;
      isWriting = true;
      written = Promise.all(
        devices.map(async (device, i) => {
          await delay((i / count) * EVERY_MS);
          while (isWriting)
            await Promise.all([device.deliver(partnerOf(devices, i).person.id), delay(EVERY_MS)]);
        }),
      );
    },
    async more(further) {
      const enough = devices.map(({ acknowledged }) => acknowledged + further);
      const isEnough = () => devices.every(({ acknowledged }, i) => acknowledged >= (enough[i] ?? 0));
      await eventually(isEnough, HANG_MS);
    },
    async stop() {
      isWriting = false;
      await written;
      await verifyDevices(service.get, devices);
      for (const [i, device] of devices.entries()) {
        const peer = partnerOf(devices, i);
        if (i % 2 === 0) await verifyConversation(service.get, device, peer.person, [device, peer]);
      }
    },
  };
}
