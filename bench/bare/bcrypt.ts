// Only checks one password against one hash, as many times at once as there are cores.
//   COST    bcrypt's cost
import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/bcrypt';
import { answerRounds } from '../processes.ts';

// No password matches it; a check takes as long as any.
const stored = `$2b$${process.env.COST?.padStart(2, '0')}$${'C'.repeat(21)}.${'C'.repeat(31)}`;

answerRounds(async (seconds) => {
  const endsAt = performance.now() + seconds * 1000;
  let count = 0;
  async function worker(): Promise<void> {
    for (; performance.now() < endsAt; count++) await verify('correct horse battery', stored);
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return count;
});
