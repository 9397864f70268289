// Only checks one password against one hash, as many times at once as there are cores.
//   COST    bcrypt's cost
import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/bcrypt';
import { answerRounds } from '../processes.ts';

// No password matches it; a check takes as long as any.
const stored = `$2b$${process.env.COST?.padStart(2, '0')}$${'C'.repeat(21)}.${'C'.repeat(31)}`;

answerRounds(async (seconds) => {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let count = 0;
  async function worker(): Promise<void> {
    while (lastAt < startedAt + seconds * 1000) {
      await verify('correct horse battery', stored);
      lastAt = performance.now();
      count++;
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return count / ((lastAt - startedAt) / 1000);
});
