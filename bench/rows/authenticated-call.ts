import { drive, requestBytes } from '../load.ts';
import { alternate, type Effort } from '../measuring.ts';
import { signUp } from '../people.ts';
import { ask, startBareHttp, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';

const CONNECTIONS = 64;
const BLOCKED = 10;

/**
 * `GET /api/user/blocked`, of somebody who blocks nobody and of somebody who blocks ten. It is the plainest call that
 * needs a token and asks the database each time, so it shows what signing in costs and what a query costs. (`POST
 * /api/token` makes a signature each time, which would be measured instead.)
 */
export async function authenticatedCall(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, profileFolder });
  const lonely = await signUp(server, 'alice');
  const annoyed = await signUp(server, 'bob');
  for (let i = 0; i < BLOCKED; i++) {
    const { id: blockedId } = await signUp(server, `pest${i}`);
    await ask(server, 'POST', '/api/user/block', { token: annoyed.token, body: { blockedId } });
  }

  const lines: Line[] = [];
  for (const [work, { token }] of [
    ['authenticated call: empty block list', lonely],
    [`authenticated call: ${BLOCKED} blocked`, annoyed],
  ] as const) {
    await using bare = await startBareHttp(
      folder.path,
      (await ask(server, 'GET', '/api/user/blocked', { token })).bytes,
    );
    const requests = [requestBytes('GET', '/api/user/blocked', { token })];
    const measure = async ({ port }: { port: number }) =>
      (await drive({ port, requests, connections: CONNECTIONS, seconds: effort.seconds })).perSecond;
    await measure(server);
    await measure(bare);
    const compared = await alternate(
      effort,
      () => measure(server),
      () => measure(bare),
    );
    lines.push({
      work,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      judged: { value: compared.ratio, unit: 'ratio', floor: 0.3, aim: 0.5 },
    });
  }
  return lines;
}
