import { alternate, type Effort } from '../measuring.ts';
import { startBareHttp, startRounds, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';

/** What is there of sending a push: a test send without its HTTP call, against the arithmetic of its encryption. */
export async function push(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using pushService = await startBareHttp(folder.path, Buffer.alloc(0), 201);
  const env = {
    DATA_DIR: folder.path,
    PUSH_ALLOW_PRIVATE: '1',
    PUSH_SERVICE: `http://127.0.0.1:${pushService.port}`,
  };
  await using server = await startRounds('test-sends.ts', { env, profileFolder });
  await using bare = await startRounds('bare/encryption.ts');
  const ours = () => server.perSecond(effort.seconds);
  const arithmetic = () => bare.perSecond(effort.seconds);

  await ours();
  await arithmetic();
  const compared = await alternate(effort, ours, arithmetic);
  return [
    {
      work: 'push (test send: encrypt, sign, send, record)',
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      judged: { value: compared.ratio, unit: 'ratio', floor: 0.35, aim: 0.6 },
    },
  ];
}
