import { requestBytes, runLoad } from '../http-load.ts';
import { alternate, type Effort } from '../measure.ts';
import { call, startBareHttp, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';
import { signUp } from '../users.ts';

const CONNECTIONS = 64;

/** `GET /api/user/profile/:userId`, by callers without a token. */
export async function publicProfile(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { profileFolder });
  const { id } = await signUp(server, 'alice');
  const path = `/api/user/profile/${id}`;
  await using bare = await startBareHttp(folder.path, (await call(server, 'GET', path)).bytes);
  const requests = [requestBytes('GET', path)];
  const measure = ({ port }: { port: number }) =>
    runLoad({ port, requests, connections: CONNECTIONS, seconds: effort.seconds });

  await measure(server);
  await measure(bare);
  const compared = await alternate(
    effort,
    () => measure(server),
    () => measure(bare),
    { service: server.micros, bare: bare.micros },
  );
  return [
    {
      work: 'public profile',
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
      target: { value: compared.ratio, unit: 'ratio', floor: 0.45, aim: 0.65 },
    },
  ];
}
