// Runs tests by Node's test runner; each run ends with a closing line, and fails if no test is executed.
//   npm test                                what a change needs, on one throwaway PostgreSQL and Redis for all files (gates.ts)
//   npm run test:all                        everything
//   npm test -- push                        a room, in both browsers: a folder of src, of client or of test
//   npm test -- web/chat                    a folder of the page
//   npm test -- src/push/log/*.test.ts      some files
//   npm run test:unit                       src, client and web alone: what starts no other program, on SQLite
//   npm run test:unit -- push               the same of one room
// TEST_DATABASES=sqlite leaves PostgreSQL and Redis out of the other runs too. TEST_BROWSERS=firefox or chromium leaves out the other
// browser; `npm test` without names runs Chromium, unless it is set.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findPostgres, startCluster } from '../test/postgres-cluster.ts';
import { findRedis, startRedis } from '../test/redis-server.ts';
import { isForEachChange, SMOKE_TESTS } from './gates.ts';

/** Three at once on two processors, since tests also wait. With four, services miss their time limits now and then. */
const AT_ONCE = 3;
/** How many files share a process, about. Each process loads all modules again, which takes most of the time of a short file. */
const FILES_PER_PROCESS = 12;
/** The same of files whose tests share a browser: Firefox takes 3 s of processor time to start. */
const BROWSER_FILES_PER_PROCESS = 6;
/** Far above what a process takes, also on a busy machine. */
const TIMEOUT_MS = 900_000;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith('--'));
const unknown = options.find((option) => !['--all', '--unit'].includes(option));
if (unknown) fail(`unknown option ${unknown}`); // such as --unit misspelt: the run would be another one
const isUnit = options.includes('--unit');
const named = words.filter((word) => !options.includes(word));
const isForChange = options.length === 0 && named.length === 0;
const inSources = globSync(['src', 'client/src', 'web/src'].map((part) => `${part}/**/*.test.ts`)).sort();
const everywhere = [...inSources, ...globSync(['test/**/*.test.ts', 'scripts/*.test.ts']).sort()];
const found = named.length > 0 ? [...new Set(named.flatMap(find))] : unnamed();
const { browsers = [], alone = [], sharing = [] } = Object.groupBy(found, kindOf);
const files = isUnit ? sharing : found;
if (named.length > 0 && files.length < found.length)
  console.log(
    `Without files that start other programs (${found.length - files.length}): npm test -- NAME or npm run test:all runs them.`,
  );
if (files.length === 0) fail('no test was executed'); // Without files Node's runner would run all that it finds.

function unnamed() {
  if (isUnit) return inSources;
  if (!isForChange) return everywhere;
  SMOKE_TESTS.forEach(find); // a renamed one would be missing silently
  for (const file of SMOKE_TESTS) {
    const lacksChromium =
      file.startsWith('test/browsers/') && !/\bon(Chromium|EachBrowser)\(/.test(readFileSync(file, 'utf8'));
    if (lacksChromium) fail(`${file} has no test in Chromium, the browser of this run`);
  }
  return everywhere.filter((file) => isForEachChange(file.replaceAll('\\', '/')));
}

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

/** Tests that share a browser, tests that start processes, servers or browsers of their own, and all others. */
function kindOf(file) {
  const text = readFileSync(file, 'utf8');
  if (/\/each-browser\.ts/.test(text)) return 'browsers';
  return /node:child_process|puppeteer|\/(processes|postgres-cluster|redis-server)\.ts/.test(text)
    ? 'alone'
    : 'sharing';
}

function fail(reason) {
  console.error(`FAILED: ${reason}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'doorman-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const databases = isUnit ? 'sqlite' : process.env.TEST_DATABASES;
const hasServers = databases !== 'sqlite' && findPostgres();
const cluster = hasServers ? await startCluster() : undefined;
const redis = hasServers && findRedis() ? await startRedis() : undefined;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => runner.kill(signal));

const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${AT_ONCE}`,
    `--test-timeout=${TIMEOUT_MS}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/closing-line.mjs',
    '--test-reporter-destination=stdout',
    ...plan(),
  ],
  {
    stdio: 'inherit',
    env: {
      ...(isForChange && { TEST_BROWSERS: 'chromium' }),
      ...process.env,
      ...(cluster && { TEST_POSTGRES_URL: cluster.url }),
      ...(redis && { TEST_REDIS_URL: redis.url }),
      ...(databases && { TEST_DATABASES: databases }),
      // The processes, and the servers that tests start, compile the same modules.
      NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/compiled'),
    },
  },
);
runner.once('exit', async (code) => {
  await cluster?.stop();
  await redis?.[Symbol.asyncDispose]();
  process.exitCode = code ?? 1;
});

/**
 * Writes the files that Node's runner runs, which import the tests. It starts them in the order of their names: browsers keep
 * the processor busy and other programs wait, so both are mixed. The groups of short tests come last, so that all end together.
 *
 * @returns their paths
 */
function plan() {
  const withBrowsers = isUnit ? [] : group(browsers, BROWSER_FILES_PER_PROCESS);
  const others = [
    ...(isUnit ? [] : alone.reverse().map((file) => [file])),
    ...group(sharing, FILES_PER_PROCESS),
  ];
  const between = Math.floor(others.length / (withBrowsers.length + 2));
  const mixed = withBrowsers.flatMap((run) => [run, ...others.splice(0, between)]);
  return [...mixed, ...others].map((files, at) => {
    const path = join(folder, `${String(at).padStart(3, '0')}.test.mjs`);
    writeFileSync(path, files.map((file) => `await import('${pathToFileURL(resolve(file))}');\n`).join(''));
    return path;
  });
}

/**
 * Groups as many as run at once, or a multiple of that, which take about as long. The longest tests are placed first, each
 * where the least is.
 */
function group(files, filesPerProcess) {
  const rounds = Math.ceil(files.length / (AT_ONCE * filesPerProcess));
  const count = Math.min(files.length, AT_ONCE * rounds);
  const groups = Array.from({ length: count }, () => ({ weight: 0, files: [] }));
  const weighed = files.map((file) => ({ file, weight: weightOf(file) }));
  for (const { file, weight } of weighed.sort((a, b) => b.weight - a.weight)) {
    const least = groups.reduce((a, b) => (b.weight < a.weight ? b : a));
    least.weight += weight;
    least.files.push(file);
  }
  return groups.map(({ files }) => files);
}

/** About how long the tests of a file take: a set-up such as `startService(t)` as long as 5 kB of tests. */
function weightOf(file) {
  const text = readFileSync(file, 'utf8');
  return text.length + 5_000 * (text.match(/\w\(\s*t\b/g) ?? []).length;
}
