import { alternate, type Effort } from '../measure.ts';
import { startBareHttp, startRounds, temporaryFolder } from '../processes.ts';
import { type Line, perSecond } from '../table.ts';

/** Pushes of unseen messages, from the decision to the result, against the arithmetic of their encryption. */
export async function push(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using pushService = await startBareHttp(folder.path, Buffer.alloc(0), 201);
  const env = {
    DATA_DIR: folder.path,
    PUSH_ALLOW_PRIVATE: '1',
    PUSH_SERVICE: `http://127.0.0.1:${pushService.port}`,
  };
  await using server = await startRounds('push-deliveries.ts', { env, profileFolder });
  await using bare = await startRounds('bare/encryption.ts');
  const ours = () => server.measure(effort.seconds);
  const arithmetic = () => bare.measure(effort.seconds);

  await ours();
  await arithmetic();
  const compared = await alternate(effort, ours, arithmetic, {
    service: server.micros,
    bare: bare.micros,
  });
  return [
    {
      work: 'push (decide, encrypt, sign, send, record)',
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
      target: { value: compared.ratio, unit: 'ratio', floor: 0.35, aim: 0.6 },
    },
  ];
}
