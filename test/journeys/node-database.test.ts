import { after, type TestContext, test } from 'node:test';
import { joinCrowd } from '../crowd.ts';
import { databaseEnv, onNodes } from '../databases.ts';
import type { Scope } from '../dispose-after.ts';
import { eventually } from '../eventually.ts';
import { startNodeProcesses, untilOnline } from '../node-processes.ts';
import { connectPostgres } from '../postgres-client.ts';
import { databaseUrl, startCluster, templateDatabase } from '../postgres-cluster.ts';
import { settingsOf } from '../processes.ts';
import { keepPromises } from '../promises.ts';

const HANG_MS = 240_000;
/** 100 messages a second. */
const CROWD = 40;

onNodes('three nodes whose PostgreSQL goes away', (database) => {
  const running = new AsyncDisposableStack();
  after(() => running.disposeAsync());
  let started: ReturnType<typeof open> | undefined;

  /** Nodes that know both hosts of a PostgreSQL with a synchronous standby, the same for all tests. */
  const start = (t: TestContext) => {
    started ??= open(t);
    return started;
  };

  async function open(t: TestContext) {
    const scope: Scope = { after: (end) => running.defer(end) };
    const primary = await startCluster();
    running.defer(() => primary.stop());
    await using sql = await connectPostgres(primary.url);
    // The standby comes back soon after the primary.
    await sql.rows(`alter system set wal_retrieve_retry_interval = '100ms'`);
    const standby = await startCluster({ standbyOf: primary.url });
    running.defer(() => standby.stop());
    // After the standby was made from it: the promoted one would wait for a standby that is not there.
    await sql.rows(`alter system set synchronous_standby_names = '*'`);
    await sql.rows('select pg_reload_conf()');
    const standbys = () => sql.rows(`select pid from pg_stat_replication where sync_state = 'sync'`);
    await eventually(async () => (await standbys()).length === 1);

    const both = databaseUrl(primary.url, templateDatabase).replace(
      /(@[^/]+)/,
      `$1,${new URL(standby.url).host}`,
    );
    const settings = { databaseUrl: `${both}?target_session_attrs=read-write` };
    const { REDIS_URL: redisUrl = '' } = databaseEnv(await database.create(t));
    const service = await startNodeProcesses(scope, settingsOf({ ...settings, redisUrl }));
    return { primary, standby, service, crowd: await joinCrowd(scope, service, CROWD) };
  }

  test('PostgreSQL stops and is back: no node serves meanwhile, and nothing acknowledged is lost', {
    timeout: HANG_MS,
  }, async (t) => {
    const { primary, service, crowd } = await start(t);
    crowd.write();
    const promises = await keepPromises(t, service, 'stopped');
    await crowd.more(2);
    const isAway = async () =>
      (await Promise.all(service.nodes.map((node) => node.get('/readyz')))).every(
        ({ status }) => status === 503,
      );
    let cutting = Promise.resolve();
    await primary.restart(async () => {
      await eventually(isAway);
      cutting = promises.cut();
    });
    await cutting;
    await crowd.more(2);
    await promises.verify();
    await crowd.stop();
    await untilOnline(service.nodes, crowd.devices, 1);
  });

  test('a standby is promoted while 100 messages a second flow: nothing acknowledged is lost, and every sender is acknowledged again', {
    timeout: HANG_MS,
  }, async (t) => {
    const { primary, standby, service, crowd } = await start(t);
    crowd.write();
    const promises = await keepPromises(t, service, 'promoted');
    await crowd.more(2);
    await using sql = await connectPostgres(standby.url);
    const stoppedAt = performance.now();
    await primary.stop();
    const cutting = promises.cut();
    await sql.rows('select pg_promote()');
    await crowd.more(1);
    t.diagnostic(`every sender was acknowledged again after ${Math.round(performance.now() - stoppedAt)} ms`);
    await cutting;
    await promises.verify();
    await crowd.stop();
    await untilOnline(service.nodes, crowd.devices, 1);
  });
});
