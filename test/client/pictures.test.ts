import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { MemoryStorage } from 'doorman-client/testing';
import { onSqlite, type TestDatabase } from '../databases.ts';
import { pngOf } from '../pictures-of-noise.ts';
import { allButProofs, Device, join, until } from './device.ts';
import { type Line, startLine } from './line.ts';
import { serve } from './serving.ts';

const UPLOAD = 'POST /api/pictures';

/** Alice, signed up on a line of her own and not connected, with a storage that tabs share; Bob is connected. */
async function begin(t: TestContext, database: TestDatabase, env: Record<string, string> = {}) {
  const service = await serve(t, database, { env });
  const line = await startLine(t, service.url);
  const storage = Object.assign(new MemoryStorage(), { name: crypto.randomUUID() });
  const times = { pauseMs: 20, takeOverMs: 100 };
  const alice = await new Device(t, line.url, { storage, times }).signUp('alice');
  const bob = await join(t, service.url, 'bob');
  return { service, line, storage, times, alice, bob };
}

function pictureOf(bytes = pngOf(20), preview?: Buffer) {
  const blob = (content: Buffer) => new Blob([new Uint8Array(content)], { type: 'image/png' });
  return { blob: blob(bytes), ...(preview && { preview: blob(preview) }), width: 20, height: 20 };
}

async function bytesOf(blob: Blob | undefined): Promise<Buffer> {
  assert.ok(blob);
  return Buffer.from(await blob.arrayBuffer());
}

function uploads(line: Line): string[] {
  return line.requests.map(({ method, path }) => `${method} ${path}`).filter((one) => one === UPLOAD);
}

function sends(line: Line) {
  return line.frames.filter(({ type }) => type === 'send');
}

/** The device keeps the message and its picture. */
async function isKept({ storage }: Device): Promise<boolean> {
  const kept = await storage.all('outgoing-');
  return kept.length === 2;
}

onSqlite('A picture of a message', (database) => {
  describe('all at once', { concurrency: true }, () => {
    test('is uploaded with its preview and then sent, and both users get it', async (t) => {
      const { alice, bob } = await begin(t, database);
      await alice.connect();
      const [bytes, preview] = [pngOf(40), pngOf(10)];
      const picture = { ...pictureOf(bytes, preview), width: 40, height: 40 };
      const stored = await alice.doorman.send(bob.id, '', { picture });
      const { picture: got, body } = await bob.first('message');
      assert.ok(got);
      const { id, ...facts } = got;
      assert.deepEqual([body, facts], ['', { type: 'image/png', size: bytes.length, width: 40, height: 40 }]);
      assert.equal(stored.picture?.id, id);
      for (const { doorman } of [alice, bob]) {
        assert.deepEqual(await bytesOf(await doorman.api.picture(id)), bytes);
        assert.deepEqual(await bytesOf(await doorman.api.picturePreview(id)), preview);
      }
      assert.equal((await bob.doorman.api.picture(id)).type, 'image/png');
      await until(async () => (await alice.storage.all('outgoing')).length === 0);
      alice.doorman.unsend(bob.id, 1);
      await bob.first('unsent');
      for (const { doorman } of [alice, bob])
        await assert.rejects(doorman.api.picture(id), { code: 404, error: 'picture_unknown' });
    });

    test('waits on the device as bytes, over a reload, apart from what an earlier version of the kit reads', async (t) => {
      const { line, storage, alice, bob } = await begin(t, database);
      const [bytes, preview] = [pngOf(40), pngOf(10)];
      const draftKey = 'my/draft';
      await alice.doorman.storage.set(draftKey, 'Tea');
      alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(bytes, preview), cid: 'c1', draftKey });
      const shown = await alice.doorman.outgoingPicture('c1');
      assert.deepEqual(await bytesOf(shown?.blob), bytes);
      await until(() => isKept(alice));
      assert.deepEqual(await storage.all('outgoing/'), []);
      assert.equal(await storage.get(draftKey), undefined);
      const reloaded = new Device(t, line.url, { storage });
      await reloaded.doorman.restore();
      const [waiting] = reloaded.doorman.outgoing();
      assert.deepEqual(
        [waiting?.body, waiting?.picture],
        ['Tea', { type: 'image/png', size: bytes.length, width: 20, height: 20 }],
      );
      const kept = await reloaded.doorman.outgoingPicture('c1', bob.id);
      assert.deepEqual([await bytesOf(kept?.blob), kept?.width], [bytes, 20]);
      await reloaded.connect();
      const { picture } = await bob.first('message');
      assert.deepEqual(await bytesOf(await bob.doorman.api.picturePreview(picture?.id ?? '')), preview);
      await until(async () => (await storage.all('outgoing')).length === 0);
      assert.equal(await reloaded.doorman.outgoingPicture('c1'), undefined);
    });

    test('has its id on the device before the message is sent, so it is sent with the same one after a reload', async (t) => {
      const { service, line, storage, alice, bob } = await begin(t, database);
      // The service stores the message, and its reply is lost.
      line.passes = (frame) => frame.data?.n === undefined && frame.type !== 'event';
      await alice.connect();
      alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' });
      await until(() => sends(line).length === 1);
      const { picture } = await bob.first('message');
      assert.equal(sends(line)[0]?.picture, picture?.id);
      alice.doorman.disconnect();
      const other = await startLine(t, service.url);
      const reloaded = new Device(t, other.url, { storage });
      await reloaded.doorman.restore();
      await reloaded.connect();
      await until(() => reloaded.doorman.outgoing().length === 0);
      assert.deepEqual([uploads(line).length, uploads(other).length], [1, 0]);
      assert.ok(sends(other).every((frame) => frame.picture === picture?.id));
      assert.equal((await bob.doorman.api.history({ peer: alice.id })).items.length, 1);
    });

    test('is uploaded by one tab of several', async (t) => {
      const { service, line, storage, times, alice, bob } = await begin(t, database);
      const other = await startLine(t, service.url);
      const tab = new Device(t, other.url, { storage, times });
      await tab.doorman.restore();
      await Promise.all([alice.connect(), tab.connect()]);
      // So long that the other tab wants to take it over.
      const held = Promise.withResolvers<void>();
      const began = Promise.withResolvers<void>();
      line.holds = async (path) => {
        if (path !== '/api/pictures') return;
        began.resolve();
        await held.promise;
      };
      const sent = alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' });
      await began.promise;
      await tab.first('outgoing', ({ state }) => state === 'sending');
      held.resolve();
      await sent;
      await tab.first('outgoing', ({ state }) => state === 'stored');
      assert.deepEqual([uploads(line).length, uploads(other).length], [1, 0]);
      await bob.hears('Tea');
      assert.deepEqual(
        [...alice.all('outgoing'), ...tab.all('outgoing')].filter(({ error }) => error),
        [],
      );
    });

    test('is uploaded by another tab if its own has ended', async (t) => {
      const { service, line, storage, times, alice, bob } = await begin(t, database);
      const tab = new Device(t, service.url, { storage, times });
      await tab.doorman.restore();
      await tab.connect();
      alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' });
      const { picture } = await bob.first('message');
      assert.ok(picture);
      assert.deepEqual(uploads(line), []);
      await alice.first('outgoing', ({ state }) => state === 'stored');
    });

    test('that the service refuses is a message that is refused, and others go on', async (t) => {
      const { storage, alice, bob } = await begin(t, database);
      await alice.connect();
      const bad = alice.doorman.send(bob.id, 'bad', {
        picture: pictureOf(Buffer.from('no picture')),
        cid: 'c1',
      });
      const good = alice.doorman.send(bob.id, 'good');
      await assert.rejects(bad, { code: 400, error: 'picture_invalid' });
      await good;
      await bob.hears('good');
      const [refused] = alice.doorman.outgoing();
      assert.deepEqual([refused?.state, refused?.error], ['refused', 'picture_invalid']);
      assert.ok(await isKept(alice));
      await alice.doorman.discard('c1');
      assert.deepEqual(await storage.all('outgoing'), []);
    });

    test('is refused while the service takes none, and can be sent without a new choice when it does', async (t) => {
      const { service, line, alice, bob } = await begin(t, database);
      line.answers = ({ url }) =>
        url === '/api/pictures'
          ? { status: 403, text: JSON.stringify({ code: 403, error: 'pictures_off', msg: '' }) }
          : undefined;
      await alice.connect();
      await assert.rejects(alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' }), {
        error: 'pictures_off',
      });
      line.answers = () => undefined;
      alice.doorman.retry('c1');
      await bob.hears('Tea');
      assert.equal((await service.services.db.all`select id from pictures`).length, 1);
    });

    test('is tried again while its upload fails, and messages to others do not wait for it', async (t) => {
      const { service, line, alice, bob } = await begin(t, database);
      const carol = await join(t, service.url, 'carol');
      let failures = 0;
      const failing = [
        { status: 502, text: '<h1>Bad gateway</h1>' },
        { status: 500, text: '{"code":500}' },
        { status: 429, headers: { 'retry-after': '1' }, text: '{"code":429,"error":"too_many_pictures"}' },
      ];
      line.answers = ({ url }) =>
        url === '/api/pictures' && carol.bodies.length > 0 ? failing[failures++] : undefined;
      line.holds = async (path) => {
        if (path === '/api/pictures') await until(() => carol.bodies.length > 0);
      };
      await alice.connect();
      const first = alice.doorman.send(bob.id, 'with picture', { picture: pictureOf() });
      const second = alice.doorman.send(bob.id, 'after it');
      await alice.doorman.send(carol.id, 'to Carol');
      await Promise.all([first, second]);
      await bob.hears('with picture', 'after it');
      assert.equal(failures > failing.length, true);
    });

    test('is refused if the limit of uploads asks to wait for long', async (t) => {
      const { alice, bob } = await begin(t, database, { RATE_LIMIT_PICTURES: '1/1h' });
      await alice.connect();
      await alice.doorman.send(bob.id, 'one', { picture: pictureOf() });
      const second = alice.doorman.send(bob.id, 'two', { picture: pictureOf() });
      await Promise.all([
        assert.rejects(second, { code: 429, error: 'too_many_pictures' }),
        alice.doorman.send(bob.id, 'three'),
      ]);
      await bob.hears('one', 'three');
    });

    test('is uploaded again if the service has removed it since', async (t) => {
      const { service, line, storage, alice, bob } = await begin(t, database);
      line.rejects = ({ type }) => (type === 'send' ? 1012 : undefined);
      await alice.connect();
      alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' });
      await until(() => sends(line).length > 0);
      alice.doorman.disconnect();
      await service.services.db.run`delete from pictures`;
      const reloaded = new Device(t, service.url, { storage });
      await reloaded.doorman.restore();
      await reloaded.connect();
      const { picture } = await bob.first('message');
      assert.ok(picture && picture.id !== sends(line)[0]?.picture);
      await bob.doorman.api.picture(picture.id);
    });

    test('can be called back and its caption changed while it is uploaded', async (t) => {
      const { line, alice, bob } = await begin(t, database);
      const held = Promise.withResolvers<void>();
      const began = Promise.withResolvers<void>();
      line.holds = async (path) => {
        if (path !== '/api/pictures') return;
        began.resolve();
        await held.promise;
      };
      await alice.connect();
      const first = alice.doorman.send(bob.id, 'one', { picture: pictureOf(), cid: 'c1' });
      const second = alice.doorman.send(bob.id, 'two', { picture: pictureOf(), cid: 'c2' });
      await began.promise;
      alice.doorman.edit(bob.id, { cid: 'c2' }, 'two!');
      await Promise.all([assert.rejects(first, { error: 'discarded' }), alice.doorman.discard('c1')]);
      held.resolve();
      await second;
      await bob.hears('two!');
    });

    test('is removed from the device with a sign-out, and kept where the session was lost', async (t) => {
      const { service, storage, alice, bob } = await begin(t, database);
      alice.doorman.send(bob.id, 'Tea', { picture: pictureOf() });
      await until(() => isKept(alice));
      await alice.doorman.signOut();
      assert.deepEqual(await allButProofs(storage), []);

      await alice.signIn('alice');
      alice.doorman.send(bob.id, 'Tea again', { picture: pictureOf() });
      await until(() => isKept(alice));
      await service.services.db.run`delete from sessions where user_id = ${alice.id}`;
      alice.doorman.connect();
      await alice.first('session', ({ end }) => end === 'expired');
      assert.ok(await isKept(alice));
      await alice.signIn('alice');
      alice.doorman.connect();
      await bob.hears('Tea again');
    });

    for (const [end, act] of [
      ['discarded', ({ doorman }: Device) => doorman.discard('c1')],
      ['signed_out', ({ doorman }: Device) => doorman.signOut()],
    ] as const)
      test(`that is ${end} while its bytes are read is not stored afterwards`, async (t) => {
        const { storage, alice, bob } = await begin(t, database);
        const picture = pictureOf();
        const held = Promise.withResolvers<ArrayBuffer>();
        const began = Promise.withResolvers<void>();
        const arrayBuffer = () => {
          began.resolve();
          return held.promise;
        };
        Object.assign(picture.blob, { arrayBuffer });
        const sent = alice.doorman.send(bob.id, 'Tea', { picture, cid: 'c1' });
        await Promise.all([assert.rejects(sent, { error: end }), began.promise.then(() => act(alice))]);
        if (!alice.doorman.session) await alice.signIn('alice');
        held.resolve(new ArrayBuffer(20));
        alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c2' });
        await until(async () => (await storage.all('outgoing-')).some(([key]) => key.endsWith('/c2')));
        const keys = (await storage.all('outgoing-')).map(([key]) => key);
        assert.deepEqual(
          keys.filter((key) => key.endsWith('/c1')),
          [],
        );
      });

    test('leaves the device together with its message', async (t) => {
      const { storage, alice, bob } = await begin(t, database);
      let orphans = 0;
      for (const name of ['write', 'delete'] as const) {
        const act = storage[name].bind(storage) as (of: unknown) => Promise<void>;
        const checked = async (of: unknown) => {
          await act(of);
          if ((await storage.all('outgoing-')).length % 2 === 1) orphans++;
        };
        Object.assign(storage, { [name]: checked });
      }
      alice.doorman.send(bob.id, 'Tea', { picture: pictureOf() });
      await until(() => isKept(alice));
      await alice.connect();
      await bob.hears('Tea');
      await until(async () => (await storage.all('outgoing-')).length === 0);
      assert.equal(orphans, 0);
    });

    test('that the browser has removed from the device is refused', async (t) => {
      const { storage, alice, bob } = await begin(t, database);
      const sent = alice.doorman.send(bob.id, 'Tea', { picture: pictureOf() });
      const refused = assert.rejects(sent, { error: 'picture_unknown' });
      await until(() => isKept(alice));
      for (const [key] of await storage.all('outgoing-')) await storage.delete(key);
      await alice.connect();
      await alice.doorman.send(bob.id, 'after it');
      await refused;
    });

    test('belongs to its cid: with it, the same message without a picture is another one', async (t) => {
      const { alice, bob } = await begin(t, database);
      await alice.connect();
      const first = alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' });
      assert.equal(alice.doorman.send(bob.id, 'Tea', { picture: pictureOf(), cid: 'c1' }), first);
      for (const again of [1, 2]) {
        await assert.rejects(alice.doorman.send(bob.id, 'Tea', 'c1'), { error: 'cid_used' }, String(again));
        await first;
      }
      await bob.hears('Tea');
    });
  });
});
