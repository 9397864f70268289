import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { databaseEnv, onNodes, onPostgres, type TestDatabase } from '../databases.ts';
import { disposeAfter } from '../dispose-after.ts';
import { eventually } from '../eventually.ts';
import type { Body, Person } from '../harness.ts';
import { connectPostgres } from '../postgres-client.ts';
import { databaseUrl, startCluster, templateDatabase } from '../postgres-cluster.ts';
import { startSockets, type TestSocket } from '../sockets.ts';

const HANG_MS = 120_000;
const LOST = /^PostgreSQL was promoted and lacks answered commits/;
const COMPLETE = /^PostgreSQL was promoted and has every commit of the last minute/;

onPostgres('a server whose PostgreSQL fails over to an asynchronous standby', register);
onNodes('nodes whose PostgreSQL fails over to an asynchronous standby', register);

function register(database: TestDatabase): void {
  /** Alice's device, and Bob who writes to her. */
  async function start(t: TestContext) {
    let [primaryUrl, standbyUrl] = ['', ''];
    let stopPrimary = async () => {};
    const create = async () => {
      const primary = await startCluster();
      t.after(() => primary.stop());
      const standby = await startCluster({ standbyOf: primary.url });
      t.after(() => standby.stop());
      [primaryUrl, standbyUrl] = [primary.url, standby.url].map((url) =>
        databaseUrl(url, templateDatabase),
      ) as [string, string];
      stopPrimary = primary.stop;
      const { REDIS_URL } = databaseEnv(await database.create(t));
      const both = primaryUrl.replace(/(@[^/]+)/, `$1,${new URL(standbyUrl).host}`);
      return {
        databaseUrl: `${both}?target_session_attrs=read-write`,
        ...(REDIS_URL !== undefined && { redisUrl: REDIS_URL }),
      };
    };
    const service = await startSockets(
      t,
      { ...database, create },
      { world: { nodeTimes: { closeMs: 2_000 } } },
    );
    const [primary, sql] = [await connectPostgres(primaryUrl), await connectPostgres(standbyUrl)];
    disposeAfter(t, primary);
    disposeAfter(t, sql);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const send = (cid: string) =>
      service.post('/api/messages', { to: alice.id, cid, body: `text of ${cid}` }, { token: bob.token });
    const device = await service.connect({ node: 0 });
    const { data: welcome } = await device.hello({ token: alice.token });

    /** Sends these messages to the device, on the primary. */
    const deliver = async (cids: readonly string[]) => {
      for (const cid of cids) {
        assert.equal((await send(cid)).status, 200);
        await device.first(({ data }) => data?.cid === cid);
      }
    };
    const untilReplayed = () =>
      eventually(async () => {
        const [row] = await primary.rows<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
        const [replayed] = await sql.rows<{ is: boolean }>(
          `select pg_last_wal_replay_lsn() >= '${row?.lsn}' as is`,
        );
        return replayed?.is === true;
      });
    const cutStandby = async () => {
      await sql.rows(`alter system set primary_conninfo = ''`);
      await sql.rows('select pg_reload_conf()');
      await eventually(async () => (await sql.rows('select pid from pg_stat_wal_receiver')).length === 0);
    };
    const promote = async () => {
      await stopPrimary();
      await sql.rows('select pg_promote()');
    };
    return { service, alice, bob, send, device, welcome, deliver, untilReplayed, cutStandby, promote };
  }

  /** The lines of the log about the promotion, without those of the database that is away. */
  const verdictsOf = (logLines: readonly string[]) =>
    logLines
      .map((line): Body => JSON.parse(line))
      .filter(({ msg }) => /PostgreSQL was promoted|epoch was renewed/.test(msg));

  /** Once the service answers again. */
  async function insist(send: () => Promise<{ status: number }>): Promise<void> {
    await eventually(async () => (await send()).status === 200, HANG_MS);
  }

  /** Once all nodes, which the load balancer takes in turn, have connections to the promoted server. */
  async function untilAllAnswer(call: () => Promise<{ status: number }>): Promise<void> {
    await eventually(async () => {
      for (let node = 0; node < database.nodes; node++) if ((await call()).status !== 200) return false;
      return true;
    }, HANG_MS);
  }

  async function reconnect(
    service: { connect(): Promise<TestSocket> },
    { token }: Pick<Person, 'token'>,
    position: { epoch: string; seq: number },
  ) {
    const socket = await service.connect();
    const { data } = await socket.hello({ token, ...position });
    return { socket, welcome: data };
  }

  test('that lacks answered commits: each device starts from a snapshot and sees what was sent after it', {
    timeout: HANG_MS,
  }, async (t) => {
    const { service, alice, bob, send, device, welcome, deliver, untilReplayed, cutStandby, promote } =
      await start(t);
    await deliver(['1', '2', '3', '4', '5']);
    await untilReplayed();
    await cutStandby();
    await deliver(['lost 6', 'lost 7', 'lost 8']);
    const carol = await service.join('carol').then(({ id }) => id);
    const bobs = await service.enter(bob);
    await promote();
    for (const cid of ['new 6', 'new 7', 'new 8']) await insist(() => send(cid));
    await untilAllAnswer(() => service.get('/api/sessions', { token: alice.token }));

    const back = await reconnect(service, alice, { epoch: welcome.epoch, seq: 8 });
    assert.deepEqual([back.welcome.resumed, back.welcome.seq], [false, 8]);
    assert.notEqual(back.welcome.epoch, welcome.epoch);
    const { data } = await back.socket.ask({ type: 'sync' });
    assert.deepEqual(
      [data.epoch, data.seq, data.conversations[0]?.last.cid],
      [back.welcome.epoch, 8, 'new 8'],
    );
    const history = await service.get(`/api/messages?peer=${bob.id}`, { token: alice.token });
    assert.deepEqual(
      history.body.data.items.map(({ cid }: Body) => cid),
      ['1', '2', '3', '4', '5', 'new 6', 'new 7', 'new 8'],
    );
    assert.equal((await service.get(`/api/user/profile/${carol}`)).status, 404, 'no cache has what is gone');

    assert.deepEqual(await device.ended, { code: 4008, reason: 'too_far_behind' });
    assert.deepEqual(await bobs.ended, { code: 4008, reason: 'too_far_behind' });
    await eventually(() => verdictsOf(service.logLines).length === database.nodes);
    const verdicts = verdictsOf(service.logLines);
    for (const { msg, level, epoch } of verdicts) {
      assert.match(msg, LOST);
      assert.deepEqual([level, epoch], [40, back.welcome.epoch], 'the epoch is renewed once');
    }
    const [stored] = await service.services.db.all`select value from service where name = 'timeline'`;
    assert.deepEqual(stored, { value: '00000002 renewed' });
  });

  test('that has all of them: each device goes on from its position', { timeout: HANG_MS }, async (t) => {
    const { service, alice, send, device, welcome, deliver, untilReplayed, promote } = await start(t);
    await deliver(['1', '2', '3']);
    await untilReplayed();
    await promote();
    await insist(() => send('4'));
    await untilAllAnswer(() => service.get('/api/sessions', { token: alice.token }));
    await device.first(({ data }) => data?.cid === '4');
    const back = await reconnect(service, alice, { epoch: welcome.epoch, seq: 4 });
    assert.deepEqual([back.welcome.resumed, back.welcome.seq, back.welcome.epoch], [true, 4, welcome.epoch]);
    assert.equal(device.isOpen, true);

    await eventually(() => verdictsOf(service.logLines).length === database.nodes);
    for (const { msg, level } of verdictsOf(service.logLines)) {
      assert.match(msg, COMPLETE);
      assert.equal(level, 40);
    }
    const [stored] = await service.services.db.all`select value from service where name = 'timeline'`;
    assert.deepEqual(stored, { value: '00000002' });
  });
}
