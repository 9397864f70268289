import { alternate, type Effort, percentile } from '../measuring.ts';
import { startBareRelay, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';
import { connectTalkers, pairUp, signUpTalkers, strangers, talk } from '../talking.ts';

const SENDERS = 64;

/**
 * Messages that are stored durably, acknowledged and delivered, against bare `ws` relaying the same frames. The service
 * is as `npm start` runs it, with its limits for a user (30 messages in 10 s): so the load comes from many pairs of people,
 * so many of them at a time. Recipients are there and do not acknowledge.
 */
export async function messages(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, profileFolder });
  await using bare = await startBareRelay();
  await using stack = new AsyncDisposableStack();
  const people = await signUpTalkers(server, 'talker', 2 * effort.pairsOfPeople);
  const ours = pairUp(people, await connectTalkers(server.port, people, stack));
  const shadows = strangers(people.length);
  const theirs = pairUp(shadows, await connectTalkers(bare.port, shadows, stack));
  await talk(ours, SENDERS, effort.seconds);
  await talk(theirs, SENDERS, effort.seconds);

  const lines: Line[] = [];
  for (const senders of [SENDERS, 1]) {
    const repliedMs: number[] = [];
    const deliveredMs: number[] = [];
    const compared = await alternate(
      effort,
      async () => {
        const talked = await talk(ours, senders, effort.seconds);
        repliedMs.push(...talked.repliedMs);
        deliveredMs.push(...talked.deliveredMs);
        return talked.perSecond;
      },
      async () => (await talk(theirs, senders, effort.seconds)).perSecond,
    );
    const name = `message, ${senders} ${senders === 1 ? 'sender' : 'senders'}`;
    lines.push({
      work: `${name}: stored, acknowledged, delivered`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      ...(senders === SENDERS && {
        judged: { value: compared.ratio, unit: 'ratio', floor: 0.12, aim: 0.25 },
      }),
    });
    for (const [what, ms] of [
      ['reply', repliedMs],
      ['delivery', deliveredMs],
    ] as const) {
      const p99 = percentile(ms, 99);
      lines.push({
        work: `${name}: p50 and p99 until ${what}`,
        ours: `${milliseconds(percentile(ms, 50))}, ${milliseconds(p99)}`,
        bare: '',
        ...(senders === SENDERS && { judged: { value: p99, unit: 'ms', floor: 50, aim: 50 } }),
      });
    }
  }
  return lines;
}
