// Runs the tests: one throwaway PostgreSQL for all files, then Node's test runner over them.
//   npm test                          everything
//   npm test -- src/blocks/*.test.ts  some files
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPostgres, startCluster } from '../test/postgres-cluster.ts';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : globSync(['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/*.test.ts']).sort();

const cluster = findPostgres() ? await startCluster() : undefined;
const stop = () => cluster?.stop();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => runner.kill(signal));

const runner = spawn(
  process.execPath,
  // Three at once on two processors, since tests also wait.
  ['--test', '--test-concurrency=3', '--test-timeout=300000', '--test-reporter=spec', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(cluster && { TEST_POSTGRES_URL: cluster.url }),
      // Each file is a process, and many start servers: all of them compile the same modules.
      NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/compiled'),
    },
  },
);
runner.once('exit', async (code) => {
  await stop();
  process.exitCode = code ?? 1;
});
