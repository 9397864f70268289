// Checks one password against one hash, as many at once as there are cores, and nothing else.
//   COST    bcrypt's cost
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/bcrypt';
import { answerRounds } from '../processes.ts';

const stored = await hash('correct horse battery', Number(process.env.COST));

answerRounds(async (seconds) => {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let count = 0;
  async function verifyOn(): Promise<void> {
    while (lastAt < startedAt + seconds * 1000) {
      if (!(await verify('correct horse battery', stored))) throw new Error('a hash that does not match');
      lastAt = performance.now();
      count++;
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, verifyOn));
  return count / ((lastAt - startedAt) / 1000);
});
