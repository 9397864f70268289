import { join } from 'node:path';
import { requestBytes, runLoad } from '../http-load.ts';
import { alternate, type Effort } from '../measure.ts';
import { startDoorman, startRounds, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';
import { signUp } from '../users.ts';

const SENDERS = 64;

/**
 * Calls that are answered when their write is on the disk, from 64 senders, against a loop of one update a commit: it shows
 * what shared commits bring.
 */
export async function durableWrites(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, profileFolder });
  await using bare = await startRounds('bare/sqlite.ts', { env: { FILE: join(folder.path, 'bare.db') } });
  const updates: Buffer[] = [];
  for (let i = 0; i < SENDERS; i++) {
    const { token } = await signUp(server, `sender${i}`);
    updates.push(requestBytes('POST', '/api/user/profile', { token, body: { nickname: `Nick ${i}` } }));
  }
  let registered = 0;
  const registrations = () =>
    Array.from({ length: Math.ceil(effort.seconds * 5_000) }, () =>
      requestBytes('POST', '/api/register', {
        body: { username: `newcomer${++registered}`, password: 'secret' },
      }),
    );
  const send = (requests: readonly Buffer[], calls?: number) =>
    runLoad({
      port: server.port,
      requests,
      connections: SENDERS,
      seconds: effort.seconds,
      ...(calls && { calls }),
    });

  await send(updates);
  const lines: Line[] = [];
  for (const [work, ours] of [
    [`profile updates, ${SENDERS} senders, durable`, () => send(updates)],
    [
      `registrations, ${SENDERS} senders, durable, bcrypt cost 4`,
      () => {
        const requests = registrations();
        return send(requests, requests.length);
      },
    ],
  ] as const) {
    const compared = await alternate(effort, ours, () => bare.measure(effort.seconds), {
      service: server.micros,
      bare: bare.micros,
    });
    lines.push({
      work,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
    });
  }
  return lines;
}
