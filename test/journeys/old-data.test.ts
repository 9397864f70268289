import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { notifications } from '../pushing.ts';
import {
  type Actor,
  type Answered,
  openStored,
  resumeAnywhere,
  type Story,
  withNewFields,
} from './stored-service.ts';

type Device = 'firefox' | 'unknown' | 'laptop' | 'hangs' | 'fails' | 'busy' | 'refuses';
/** `phone` is another session of Alice, `tablet` one that was ended. */
type OldStory = Story<Device, 'phone' | 'tablet'>;

/** Details of the push log that are more than one word, and the reason that stands for each of them now. */
const REASONS: Record<string, string> = {
  'refused for 7 days: refused': 'refused_7_days',
  'given up after 24 hours': 'gave_up_24h',
  'its push service said so': 'push_service_paused',
  'its push service refuses us at the moment': 'push_service_refuses',
  'unconfirmed: at most once a minute': 'unconfirmed_rate',
};
const OUTCOMES_WITH_REASON = ['waiting', 'gone', 'refused', 'failed', 'unusable'];

/** What this version answers where the old version answered `answer`. */
function asAnswered(answered: Answered): Body {
  const { path, answer } = answered;
  if (path === '/api/push/log') return { ...answer, data: answer.data.map(renewed) };
  if (path !== '/api/sessions') return withNewFields(answered);
  return { ...answer, data: answer.data.map((session: object) => ({ ...session, active: 0, address: '' })) };
}

/** An entry of the push log, as this version shows one that the old version wrote. */
function renewed(entry: { outcome: string; detail: string }): object {
  const { outcome, detail } = entry;
  return {
    ...entry,
    outcome: outcome === 'told_already' ? 'already_notified' : outcome,
    reason: OUTCOMES_WITH_REASON.includes(outcome) ? (REASONS[detail] ?? detail) : '',
  };
}

/** @param options.hangs the push that was in flight, which is sent at once, is not answered */
async function open(t: TestContext, database: TestDatabase, { hangs = false } = {}) {
  const opened = await openStored<OldStory>(t, database, 'old-data', (pushService, { endpoints }) => {
    if (hangs) pushService.answerNext(endpoints.hangs.endpoint, 'hang');
  });
  return { ...opened, endpointOf: (device: Device) => opened.story.endpoints[device].endpoint };
}

onEachDatabase('the data of an earlier version', (database) => {
  test('answers every request as before, by tokens and passwords of before', async (t) => {
    const { service, pushService, story, answers } = await open(t, database, { hangs: true });
    assert.equal(answers.length, 40);
    for (const answered of answers) {
      const { user, path } = answered;
      const now = await service.get(path, { token: story.tokens[user] });
      assert.deepEqual(now.body, asAnswered(answered), `${user} ${path}`);
    }
    const { body } = await service.get('/api/push/public-key');
    assert.equal(body.publicKey, story.publicKey);
    const statusOf = async (token: string) => (await service.get('/api/sync', { token })).status;
    assert.equal(await statusOf(story.tokens.phone), 200);
    assert.equal(await statusOf(story.tokens.tablet), 401);
    const logIn = (username: string) =>
      service.post('/api/login', { username, password: `password-of-${username}` });
    assert.equal((await logIn('alice')).status, 200);
    assert.notEqual((await logIn('frank')).status, 200, 'was deleted');
    pushService.dropConnections();
  });

  test('gives a device every event after the position that it has, as it was', async (t) => {
    const opened = await open(t, database);
    const kinds = new Set(opened.logs.flatMap(({ events }) => events.map(({ event }) => event)));
    const known = ['message', 'marked', 'friend', 'block', 'unblock', 'profile', 'settings', 'sessions'];
    assert.deepEqual([...kinds].sort(), known.sort());
    await resumeAnywhere(opened);
  });

  test('sends each queued push once, when it is due', async (t) => {
    const { service, pushService, clock, story, endpointOf } = await open(t, database);
    const devices = Object.keys(story.endpoints) as Device[]; // as their type says
    const sentTo = () =>
      devices.filter((device) => {
        const count = pushService.received(endpointOf(device)).length;
        assert(count <= 1, `${device}: ${count}`);
        return count === 1;
      });
    const passTo = async (at: number) => {
      clock.add(at - clock.world.now());
      await service.pushes.runDue();
      return sentTo();
    };
    // One was in flight.
    assert.deepEqual(await passTo(story.now), ['hangs']);
    // One failed, and one is about a message that was not seen within 5 s.
    assert.deepEqual(await passTo(story.now + 10_000), ['laptop', 'hangs', 'fails']);
    // An unconfirmed device, a minute after its last notification.
    assert.deepEqual(await passTo(story.now + 30_000), ['unknown', 'laptop', 'hangs', 'fails']);
    // After Retry-After, and after the hour for which a device is suspended.
    const last = ['unknown', 'laptop', 'hangs', 'fails', 'busy'];
    assert.deepEqual(await passTo(story.now + 31 * 60_000), last);
    assert.deepEqual(await passTo(story.now + 61 * 60_000), [...last, 'refuses']);
    assert.deepEqual(await passTo(story.now + 24 * 60 * 60_000), [...last, 'refuses']);

    const [pending] = notifications(pushService, { endpoint: endpointOf('laptop') });
    assert.match(
      JSON.stringify(pending),
      /carol.*still pending/,
      'with the text, as the preview of alice says',
    );
    const outcomes = async (user: Actor) =>
      (await service.get('/api/push/log', { token: story.tokens[user] })).body.data.map(
        ({ outcome }: Body) => outcome,
      );
    assert.deepEqual(await outcomes('carol'), Array(4).fill('accepted'));
    assert.deepEqual((await outcomes('bob')).slice(0, 2), ['accepted', 'already_notified']);
  });

  test('goes on from there: messages, marks, friends, blocks and devices', async (t) => {
    const { service, story, answers, logs } = await open(t, database);
    const { tokens } = story;
    const sync = (user: Actor) =>
      answers.find((line) => line.user === user && line.path === '/api/sync')?.answer.data;
    const idOf = (user: Actor) => sync(user).profile.id;
    const ok = async (token: string, path: string, body?: object) => {
      const answer = await (body ? service.post(path, body, { token }) : service.get(path, { token }));
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    };
    const conversation = async (user: Actor, peer: Actor) =>
      (await ok(tokens[user], `/api/conversations?peer=${idOf(peer)}`))[0];

    const before = await conversation('alice', 'bob');
    const sent = await ok(tokens.bob, '/api/messages', { to: idOf('alice'), cid: 'new', body: 'and on' });
    assert.equal(sent.n, before.last.n + 1);
    assert.equal((await conversation('alice', 'bob')).unread, before.unread + 1);
    await ok(tokens.alice, '/api/messages/mark', { peer: idOf('bob'), read: sent.n });
    assert.equal((await conversation('bob', 'alice')).read, sent.n);

    // Their log has events with the text in them, and after those events without.
    const { events = [], epoch } = logs.find((log) => log.user === 'bob') ?? {};
    const socket = await service.connect();
    const { data } = await socket.hello({ token: tokens.bob, epoch, seq: 0, visible: false });
    assert.deepEqual([data.resumed, data.seq], [true, events.length + 2]);
    const resumed = socket.unread.filter(({ type }) => type === 'event');
    assert.deepEqual(resumed.slice(0, events.length), events);
    assert.deepEqual(resumed.at(-2)?.data, {
      peer: idOf('alice'),
      n: sent.n,
      from: idOf('bob'),
      cid: 'new',
      body: 'and on',
    });
    socket.ws.close();
    await socket.ended;

    // What erin read while alice blocked them is still not disclosed.
    assert.deepEqual((await conversation('erin', 'alice')).ownRead, 1);
    assert.deepEqual((await conversation('alice', 'erin')).read, 0);
    const refused = await service.post(
      '/api/messages',
      { to: idOf('alice'), cid: 'refused', body: 'let me in' },
      { token: tokens.erin },
    );
    assert.equal(refused.body.error, 'not_accepting');
    await ok(tokens.alice, '/api/user/unblock', { blockedId: idOf('erin') });
    await ok(tokens.erin, '/api/messages', { to: idOf('alice'), cid: 'let in', body: 'thank you' });

    await ok(tokens.alice, '/api/friends/accept', { userId: idOf('carol') });
    const friends = await ok(tokens.carol, '/api/friends?list=friends');
    assert.deepEqual(
      friends.map(({ id }: Body) => id),
      [idOf('alice')],
    );

    // The end of a session removes its devices.
    assert.equal((await ok(tokens.dave, '/api/push/devices')).length, 3);
    await ok(tokens.dave, '/api/logout', {});
    const { token } = (await service.post('/api/login', { username: 'dave', password: 'password-of-dave' }))
      .body.data;
    const left = await ok(token, '/api/push/devices');
    assert.deepEqual(
      left.map(({ device }: Body) => device),
      ["a stranger's"],
    );
  });
});
