// Runs tests by Node's test runner; each run ends with a closing line, and fails if no test is executed.
//   npm test                                everything, on one throwaway PostgreSQL for all files
//   npm test -- push                        a room: a folder of src, of client or of test
//   npm test -- web/chat                    a folder of the page
//   npm test -- src/push/log/*.test.ts      some files
//   npm run test:unit                       src, client and web alone: what starts no other program, on SQLite
//   npm run test:unit -- push               the same of one room
// TEST_DATABASES=sqlite leaves PostgreSQL out of the other runs too.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findPostgres, startCluster } from '../test/postgres-cluster.ts';

/** Three at once on two processors, since tests also wait. */
const AT_ONCE = 3;
/** How many files of a unit run share a process at most. Each process loads all modules again, which takes most of the time of a short file. */
const FILES_PER_PROCESS = 12;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const isUnit = process.argv[2] === '--unit';
const named = process.argv.slice(isUnit ? 3 : 2);
const inSources = globSync(['src', 'client/src', 'web/src'].map((part) => `${part}/**/*.test.ts`)).sort();
const everywhere = [...inSources, ...globSync(['test/**/*.test.ts', 'scripts/*.test.ts']).sort()];
const found = named.length > 0 ? [...new Set(named.flatMap(find))] : isUnit ? inSources : everywhere;
const files = isUnit ? found.filter((file) => !startsPrograms(file)) : found;
if (named.length > 0 && files.length < found.length)
  console.log(
    `Without files that start other programs (${found.length - files.length}): npm test runs them.`,
  );
if (files.length === 0) fail('no test was executed'); // Without files Node's runner would run all that it finds.

/** The files of a pattern or of a room. */
function find(name) {
  const room = roomOf(name);
  const isPattern = /\*|\.test\.\w+$/.test(name);
  const those = isPattern
    ? globSync(name)
    : everywhere.filter((file) => `${roomOf(file)}/`.startsWith(`${room}/`));
  return those.length > 0 ? those.sort() : fail(`no tests in ${name}`);
}

/** `push/log` of `src/push/log`, `web/chat` of `web/src/features/chat`, `client` of `test/client`. */
function roomOf(path) {
  return path
    .split(/[\\/]/)
    .filter((folder) => !['', 'src', 'features', 'test'].includes(folder))
    .join('/');
}

/** Whether the tests of a file start processes, servers or browsers. */
function startsPrograms(file) {
  return /node:child_process|puppeteer|\/(processes|postgres-cluster)\.ts/.test(readFileSync(file, 'utf8'));
}

function fail(reason) {
  console.error(`FAILED: ${reason}`);
  process.exit(1);
}

const groups = isUnit ? mkdtempSync(join(tmpdir(), 'doorman-tests-')) : undefined;
process.once('exit', () => groups && rmSync(groups, { recursive: true }));
const databases = isUnit ? 'sqlite' : process.env.TEST_DATABASES;
const cluster = databases !== 'sqlite' && findPostgres() ? await startCluster() : undefined;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => runner.kill(signal));

const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${AT_ONCE}`,
    `--test-timeout=${300_000 * (groups ? FILES_PER_PROCESS : 1)}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/closing-line.mjs',
    '--test-reporter-destination=stdout',
    ...(groups ? group(files, groups) : files),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(cluster && { TEST_POSTGRES_URL: cluster.url }),
      ...(databases && { TEST_DATABASES: databases }),
      // Each file is a process, and many start servers: all of them compile the same modules.
      NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/compiled'),
    },
  },
);
runner.once('exit', async (code) => {
  await cluster?.stop();
  process.exitCode = code ?? 1;
});

/** Writes files that import the tests, with neighbours in different files: as many as run at once, or a multiple of that. @returns their paths */
function group(files, folder) {
  const rounds = Math.ceil(files.length / (AT_ONCE * FILES_PER_PROCESS));
  const count = Math.min(files.length, AT_ONCE * rounds);
  return Array.from({ length: count }, (_, at) => {
    const imports = files
      .filter((_, index) => index % count === at)
      .map((file) => `await import('${pathToFileURL(resolve(file))}');\n`);
    const path = join(folder, `${at}.test.mjs`);
    writeFileSync(path, imports.join(''));
    return path;
  });
}
