import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DoormanError, type Registration } from 'doorman-client';
import { RegistrationStore } from './registration.ts';

/** A browser's storage, and a service that answers with `says`, or not at all. */
function start(t: TestContext, { stored, storedMail }: { stored?: string; storedMail?: string } = {}) {
  const kept = new Map<string, string>();
  if (stored !== undefined) kept.set('doorman.registration', stored);
  if (storedMail !== undefined) kept.set('doorman.mail', storedMail);
  const original = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  t.after(() => {
    if (original) Object.defineProperty(globalThis, 'localStorage', original);
    else Reflect.deleteProperty(globalThis, 'localStorage');
  });
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    value: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    },
  });
  const service = { says: undefined as Registration | undefined, mail: false, asked: 0 };
  const store = new RegistrationStore(async () => {
    service.asked++;
    if (service.says === undefined) throw new DoormanError(0, 'unreachable', 'no answer');
    return { registration: service.says, mail: service.mail, pictures: true };
  });
  return { kept, service, store };
}

test('without an answer the form is shown as if all could register, until the service answers', async (t) => {
  const { kept, service, store } = start(t);
  assert.equal(store.getSnapshot(), undefined);
  await store.ask();
  assert.equal(store.getSnapshot(), 'open');
  assert.deepEqual([...kept], []);
  service.says = 'invite';
  await store.ask();
  assert.equal(store.getSnapshot(), 'invite');
  assert.deepEqual(
    [...kept],
    [
      ['doorman.registration', 'invite'],
      ['doorman.mail', 'off'],
      ['doorman.pictures', 'on'],
    ],
  );
});

test('the stored answer is known at once, and stays while there is no other', async (t) => {
  const { service, store } = start(t, { stored: 'closed' });
  assert.equal(store.getSnapshot(), 'closed');
  await store.ask();
  assert.equal(store.getSnapshot(), 'closed');
  service.says = 'open';
  await Promise.all([store.ask(), store.ask()]);
  await store.ask();
  assert.deepEqual([store.getSnapshot(), service.asked], ['open', 2]);
});

test('whether there is mail is unknown at first, then what the service says, also at the next start', async (t) => {
  const { service, store, kept } = start(t);
  assert.equal(store.mail.getSnapshot(), undefined);
  await store.ask();
  assert.equal(store.mail.getSnapshot(), undefined);
  Object.assign(service, { says: 'open', mail: true });
  await store.ask();
  assert.equal(store.mail.getSnapshot(), true);
  const { store: next } = start(t, { stored: 'open', storedMail: kept.get('doorman.mail') ?? '' });
  assert.equal(next.mail.getSnapshot(), true);
});

test('a stored word that this version does not know counts as none', (t) => {
  assert.equal(start(t, { stored: 'on request' }).store.getSnapshot(), undefined);
});

test('a refused registration says what the service asks for now, and no other refusal does', (t) => {
  const { store } = start(t, { stored: 'open' });
  store.onRefused(new DoormanError(400, 'username_taken', ''));
  store.onRefused(new TypeError('a fault'));
  assert.equal(store.getSnapshot(), 'open');
  store.onRefused(new DoormanError(403, 'invite_required', ''));
  assert.equal(store.getSnapshot(), 'invite');
  store.onRefused(new DoormanError(403, 'registration_closed', ''));
  assert.equal(store.getSnapshot(), 'closed');
});
