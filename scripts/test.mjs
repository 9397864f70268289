// Runs the tests: one throwaway PostgreSQL for all files, then Node's test runner over them.
//   npm test                          everything
//   npm test -- src/blocks/*.test.ts  some files
//   npm run test:unit                 those of src and web/src that need no other program, on SQLite alone
// Each ends with a closing line; a run in which no test is executed fails.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPostgres, startCluster } from '../test/postgres-cluster.ts';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const isUnit = process.argv[2] === '--unit';
const named = process.argv.slice(isUnit ? 3 : 2);
const inSources = ['src/**/*.test.ts', 'web/src/**/*.test.ts'];
const everywhere = [...inSources, 'test/**/*.test.ts', 'scripts/*.test.ts'];
const found = globSync(named.length > 0 ? named : isUnit ? inSources : everywhere).sort();
const files = isUnit ? found.filter((file) => !startsPrograms(file)) : found;
if (files.length === 0) {
  // Without files Node's runner would take all that it finds.
  console.error('FAILED: no test was executed');
  process.exit(1);
}

/** Whether the tests of a file start processes, servers or browsers. */
function startsPrograms(file) {
  return /node:child_process|puppeteer|\/(processes|postgres-cluster)\.ts/.test(readFileSync(file, 'utf8'));
}

const cluster = !isUnit && findPostgres() ? await startCluster() : undefined;
const stop = () => cluster?.stop();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => runner.kill(signal));

const runner = spawn(
  process.execPath,
  // Three at once on two processors, since tests also wait.
  [
    '--test',
    '--test-concurrency=3',
    '--test-timeout=300000',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/closing-line.mjs',
    '--test-reporter-destination=stdout',
    ...files,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(cluster && { TEST_POSTGRES_URL: cluster.url }),
      ...(isUnit && { TEST_DATABASES: 'sqlite' }),
      // Each file is a process, and many start servers: all of them compile the same modules.
      NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/compiled'),
    },
  },
);
runner.once('exit', async (code) => {
  await stop();
  process.exitCode = code ?? 1;
});
