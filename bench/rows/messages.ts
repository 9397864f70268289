import { alternate, type Effort, percentile } from '../measure.ts';
import { connectAll, runMessageLoad, signUpParticipants, toPairs, withoutAccounts } from '../message-load.ts';
import { startBareRelay, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';

const SENDERS = 64;

/**
 * Messages that are stored durably, acknowledged and delivered, against bare `ws` that relays the same frames. The service has
 * its limits for a user (30 messages in 10 s), so the load is spread over many pairs of users. Recipients are connected and
 * send no `ack`.
 */
export async function messages(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, profileFolder });
  await using bare = await startBareRelay();
  await using stack = new AsyncDisposableStack();
  const users = await signUpParticipants(server, 'user', 2 * effort.messagePairs);
  const ours = toPairs(users, await connectAll(server.port, users, stack));
  const anonymous = withoutAccounts(users.length);
  const theirs = toPairs(anonymous, await connectAll(bare.port, anonymous, stack));
  await runMessageLoad(ours, SENDERS, effort.seconds);
  await runMessageLoad(theirs, SENDERS, effort.seconds);

  const lines: Line[] = [];
  for (const senders of [SENDERS, 1]) {
    const repliedMs: number[] = [];
    const deliveredMs: number[] = [];
    const compared = await alternate(
      effort,
      async () => {
        const result = await runMessageLoad(ours, senders, effort.seconds);
        repliedMs.push(...result.repliedMs);
        deliveredMs.push(...result.deliveredMs);
        return result.perSecond;
      },
      async () => (await runMessageLoad(theirs, senders, effort.seconds)).perSecond,
    );
    const name = `message, ${senders} ${senders === 1 ? 'sender' : 'senders'}`;
    lines.push({
      work: `${name}: stored, acknowledged, delivered`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      ...(senders === SENDERS && {
        target: { value: compared.ratio, unit: 'ratio', floor: 0.12, aim: 0.25 },
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
        ...(senders === SENDERS && { target: { value: p99, unit: 'ms', floor: 50, aim: 50 } }),
      });
    }
  }
  return lines;
}
