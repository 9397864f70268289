import assert from 'node:assert/strict';
import type { Scope } from './endings.ts';
import type { FirefoxPushService } from './firefox-push-service.ts';
import type { GcmService } from './gcm-service.ts';
import { findLeft } from './left-behind.ts';
import { endpointOf, leave, openRecords, type Records, turnOn } from './notified-person.ts';
import { Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import type { Account, Site } from './site.ts';
import { waitFor } from './waiting.ts';

/** A browser that two users use one after the other, with the functions that differ by kind of browser. */
export interface SharedBrowser {
  readonly site: Site;
  readonly browser: RunningBrowser;
  readonly pushService: Pick<FirefoxPushService | GcmService, 'submissions' | 'isGone'>;
  sitDown(username: string): Promise<Person>;
  /** The senders of the notifications on the screen, once there is one for this user, who has no page open. */
  shown(person: Person, records: Records): Promise<string[]>;
}

/** Alice has used it: she has notifications on, a conversation, a draft, and a refused message. */
export interface Used extends SharedBrowser {
  readonly alice: Person;
  readonly dave: Account;
  readonly endpoint: string;
  /** Texts of hers that are stored in the browser, as was checked. */
  readonly hers: readonly string[];
  /** Those of them that belong to unsent messages and to her choice of notifications on this device. */
  readonly unsent: readonly string[];
}

export async function useByAlice(shared: SharedBrowser): Promise<Used> {
  const { site } = shared;
  const [carol, dave] = [await site.join('carol-quist'), await site.join('dave-quist')];
  const alice = await shared.sitDown('alice-quist');
  await alice.signUp();
  await turnOn(alice);
  const endpoint = await endpointOf(alice);
  await alice.page.goto(`${site.url}/chat/${carol.id}`);
  await alice.write('what Alice wrote');
  await writeTo(site, carol, alice, 'what Carol answered');
  await alice.waitForMessage('what Carol answered');
  await site.post('/api/user/block', { blockedId: alice.id }, carol.token);
  await alice.write('what Carol refused');
  await alice.waitForMessage('what Carol refused', 'refused');
  // In quotes only the database has it, which is written a second later.
  await waitFor('the chat to be kept', async () => (await findLeft(alice.page, ['wrote"'])).length > 0);
  await alice.page.goto(`${site.url}/chat/${dave.id}`);
  await alice.fill('[data-testid="composer"]', 'what Alice has not finished');
  const unsent = [alice.id, carol.id, endpoint, 'what Carol refused'];
  const read = [alice.username, carol.username, 'what Alice wrote', 'what Carol answered'];
  const hers = [...unsent, ...read, 'what Alice has not finished'];
  const all = [...hers, 'finished"'];
  await waitFor(
    'all of hers to be kept',
    async () => (await findLeft(alice.page, all)).length === all.length,
  );
  return { ...shared, alice, dave, endpoint, hers, unsent };
}

export async function writeTo(site: Site, from: Account, to: Person, body: string): Promise<void> {
  const message = { to: to.id, cid: crypto.randomUUID(), body };
  assert.equal((await site.post('/api/messages', message, from.token)).status, 200);
}

/** @param except texts that stay stored for her alone, hidden from others */
export async function assertNothingOf(
  { hers, pushService, endpoint }: Used,
  person: Person,
  except: readonly string[] = [],
): Promise<void> {
  const { page } = person;
  await waitFor('the push service to know', () => pushService.isGone(endpoint));
  await waitFor('the browser to know', async () => (await endpointOf(person)) === '');
  const seen = await page.evaluate(() => document.body.outerHTML);
  const left = await findLeft(page, hers);
  assert.deepEqual(
    left.filter((one) => seen.includes(one) || !except.includes(one)),
    [],
  );
}

/** Bob signs up where Alice was, and finds nothing of hers. */
export async function takeHerPlace(
  scope: Scope,
  used: Used,
  except: readonly string[] = [],
): Promise<Person> {
  const bob = new Person(scope, 'bob-quist', used.alice);
  await bob.signUp();
  await bob.find('find-people');
  await assertNothingOf(used, bob, except);
  return bob;
}

/** Messages for Alice send no push to this browser any more, and her log says why. */
export async function assertNoMorePushes(used: Used, records: Records): Promise<void> {
  const { site, alice, dave, endpoint, pushService } = used;
  const pushCount = () => pushService.submissions.filter((push) => push.endpoint === endpoint).length;
  const before = pushCount();
  await writeTo(site, dave, alice, 'for Alice');
  await records.waitFor(dave, 'no_device');
  assert.equal(pushCount(), before);
}

/** Bob turns notifications on where Alice had them, and gets only his own. */
export async function assertOwnPushesOnly(used: Used, bob: Person): Promise<void> {
  const { site, alice, shown } = used;
  await turnOn(bob);
  const records = await openRecords(bob);
  await leave(bob, records);
  await assertNoMorePushes(used, await openRecords(alice));
  await writeTo(site, await site.join('erin-quist'), bob, 'for Bob');
  assert.deepEqual(await shown(bob, records), ['erin-quist']);
}
