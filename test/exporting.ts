import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { writePushLog } from '../src/push/log/push-log.ts';
import type { TestDatabase } from './databases.ts';
import type { Answer, Body, Person } from './harness.ts';
import { pngOf } from './pictures-of-noise.ts';
import { pictureCall, startPicturing } from './picturing.ts';

/** What is in no file, as it is another user's or a secret. */
export const SECRETS = [
  'secret-of-the-device',
  'key-of-the-device',
  'bob@private.example',
  'a note of the operator',
];
export const BODIES = [
  'two\nlines\r\nand more',
  'a line\u2028separator, a paragraph\u2029one, \u0085',
  '"quoted" \\ 👩‍👩‍👧 🇩🇪',
  'ten\ttabs',
];

/** The lines of a file, each parsed. */
export function linesOf(text: string): Body[] {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  // As some readers of text split it.
  return text
    .slice(0, -1)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => JSON.parse(line));
}

/** Alice with all that a user can have, and calls that download it. The clock moves only by the test. */
export async function startExporting(
  t: TestContext,
  database: TestDatabase,
  env: Record<string, string> = {},
) {
  const picturing = await startPicturing(t, database, env);
  const { service, db, clock, alice, bob, carol, post, send } = picturing;
  const now = () => Number(clock.world.now?.());
  const ask = (person: Person = alice) => post(person, '/api/account/export', {});
  return {
    ...picturing,
    now,
    ask,
    ticketOf: async (person: Person = alice): Promise<string> => {
      const { status, body, text } = await ask(person);
      assert.equal(status, 200, text);
      return body.data.ticket;
    },
    /** Stores messages of Bob to Alice up to a number, at once. */
    async sendMany(most: number, body: string): Promise<void> {
      const { n } = (await send(bob, alice, 'first', { body })).body.data;
      const [low, high] = [alice.id, bob.id].sort() as [string, string];
      await db.run`
        insert into messages (low_id, high_id, n, sender_id, cid, body, at)
        with recursive numbers (n) as (select ${n + 1} + 0 union all select n + 1 from numbers where n < ${most})
        select ${low}, ${high}, n, ${bob.id}, cast(n as text), ${body}, 1 from numbers`;
      await db.run`update conversations set n = ${most} where user_id in (${low}, ${high})`;
    },
    get: (ticket: string): Promise<Answer> => service.get(`/api/account/export?ticket=${ticket}`),
    /** Gives Alice something of each kind. */
    async fill(): Promise<void> {
      const [dave, erin, frank] = [
        await service.join('dave'),
        await service.join('erin'),
        await service.join('frank'),
      ];
      const asked = async (person: Person, path: string, body: object) => {
        const { status, text, body: answer } = await post(person, path, body);
        assert.equal(status, 200, `${path}: ${text}`);
        return answer.data;
      };
      await asked(bob, '/api/user/profile', { email: 'bob@private.example', nickname: 'Bob' });
      await asked(alice, '/api/user/profile', {
        bio: BODIES[0],
        phone: '+49 30 1234',
        email: 'alice@example.com',
      });
      const avatar = await service.call('POST', '/api/user/avatar', pictureCall(alice, pngOf(20)));
      assert.equal(avatar.status, 200, avatar.text);
      await asked(alice, '/api/user/settings', { dndEnabled: true, pushPreview: 'full' });
      await asked(alice, '/api/user/privacy', { messages: 'requests', readReceipts: false });
      const windows = [{ days: [1, 7], from: '22:00', to: '07:00' }];
      await asked(alice, '/api/user/quiet', { timeZone: 'Europe/Berlin', windows });
      await db.run`
        insert into emails (user_id, address, address_key, language, verified_at)
        values (${alice.id}, 'alice@mail.example', 'alice@mail.example', 'en', ${now()})`;
      await db.run`
        insert into email_codes (user_id, address, language, requested_at, code_hash, expires_at)
        values (${alice.id}, 'next@mail.example', 'en', ${now()}, 'secret-of-the-device', ${now() + 1_000})`;
      await db.run`insert into last_seen (user_id, at) values (${alice.id}, ${now()})
        on conflict (user_id) do update set at = excluded.at`;
      const endpoint = 'https://push.example.net/send/secret-of-the-device';
      const keys = { p256dh: Buffer.from('key-of-the-device').toString('base64url'), auth: 'AAAA' };
      await asked(alice, '/api/push/subscribe', {
        userId: alice.id,
        subscription: { endpoint, keys },
        lang: 'en',
      });
      // Friends, a former one, and a block.
      for (const [peer, acts] of [
        [bob, ['request', 'accept']],
        [frank, ['request', 'accept', 'remove']],
      ] as const)
        for (const act of acts)
          await asked(act === 'accept' ? peer : alice, `/api/friends/${act}`, {
            userId: act === 'accept' ? alice.id : peer.id,
          });
      await asked(alice, '/api/user/block', { blockedId: carol.id });
      let sent = 0;
      const send = async (from: Person, to: Person, fields: object) =>
        (await asked(from, '/api/messages', { to: to.id, cid: `cid ${++sent}`, body: '', ...fields }))
          .n as number;
      for (const body of BODIES) await send(bob, alice, { body });
      const edited = await send(alice, bob, { body: 'first', replyTo: 1 });
      await asked(alice, '/api/messages/edit', { peer: bob.id, n: edited, body: 'second' });
      await asked(bob, '/api/messages/react', { peer: alice.id, n: edited, emoji: '👍' });
      const unsent = await send(bob, alice, { body: 'never said' });
      await asked(bob, '/api/messages/unsend', { peer: alice.id, n: unsent });
      const { id: picture } = await picturing.upload(alice);
      await send(alice, bob, { picture });
      await send(bob, alice, { picture: (await picturing.upload(bob)).id });
      await asked(alice, '/api/conversations/settings', {
        peer: bob.id,
        pinned: 1,
        mutedUntil: now() + 1_000,
      });
      await send(alice, dave, { body: 'deleted for me' });
      await send(dave, alice, { body: 'still here' });
      await asked(alice, '/api/conversations/clear', { peer: dave.id, n: 1 });
      await send(erin, alice, { body: 'hello, stranger' });
      await asked(alice, '/api/report', {
        userId: erin.id,
        reason: 'spam',
        text: 'a stranger',
        messages: [1],
      });
      await db.run`update reports set decided_at = ${now()}, act = 'dismiss', note = 'a note of the operator'`;
      const entry = {
        userId: alice.id,
        peerId: bob.id,
        kind: 'message',
        outcome: 'seen',
        detail: 'Phone',
      } as const;
      await db.transaction((tx) => writePushLog(tx, entry, now()));
      // What is decided later would be in one file and not in the next.
      await service.pushes.runDue();
    },
  };
}
