import { type BenchDatabase, EMBEDDED, onPostgres } from '../databases.ts';
import { requestBytes, runLoad } from '../http-load.ts';
import { alternate, type Effort } from '../measure.ts';
import { call, startBareHttp, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';
import { signUp } from '../users.ts';

const CONNECTIONS = 64;
const BLOCKED = 10;

/**
 * `GET /api/user/blocked` of a user who blocks no one, and of a user who blocks ten. It is the simplest call that requires a
 * token. The whole list comes from memory; a page of it queries the database each time, so it shows the cost of authentication
 * and of a query. (`POST /api/token` makes a signature each time, which would be measured instead.)
 */
export async function authenticatedCall(
  effort: Effort,
  profileFolder?: string,
  database: BenchDatabase = EMBEDDED,
): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4', ...database.settings };
  await using server = await startDoorman(folder.path, { env, profileFolder });
  const withoutBlocks = await signUp(server, 'alice');
  const withBlocks = await signUp(server, 'bob');
  for (let i = 0; i < BLOCKED; i++) {
    const { id: blockedId } = await signUp(server, `blocked${i}`);
    await call(server, 'POST', '/api/user/block', { token: withBlocks.token, body: { blockedId } });
  }

  const bounds = database === EMBEDDED ? { floor: 0.3, aim: 0.5 } : { floor: 0.15, aim: 0.35 };
  const lines: Line[] = [];
  const list = '/api/user/blocked';
  for (const [work, { token }, path] of [
    ['authenticated call: empty block list', withoutBlocks, list],
    [`authenticated call: ${BLOCKED} blocked`, withBlocks, list],
    ['authenticated call that queries: empty page', withoutBlocks, `${list}?limit=200`],
    [`authenticated call that queries: page of ${BLOCKED}`, withBlocks, `${list}?limit=200`],
  ] as const) {
    const isAimed = path === list;
    await using bare = await startBareHttp(folder.path, (await call(server, 'GET', path, { token })).bytes);
    const requests = [requestBytes('GET', path, { token })];
    const measure = ({ port }: { port: number }) =>
      runLoad({ port, requests, connections: CONNECTIONS, seconds: effort.seconds });
    await measure(server);
    await measure(bare);
    const compared = await alternate(
      effort,
      () => measure(server),
      () => measure(bare),
      { service: server.micros, database: database.micros, bare: bare.micros },
    );
    lines.push({
      work,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
      ...(isAimed && { target: { value: compared.ratio, unit: 'ratio', ...bounds } }),
    });
  }
  return lines;
}

export async function authenticatedCallOnPostgres(effort: Effort, profileFolder?: string): Promise<Line[]> {
  return onPostgres('authenticated call', (database) => authenticatedCall(effort, profileFolder, database));
}
