import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Round } from './measure.ts';
import { type ProcessorClock, processMicros } from './processor-time.ts';

const RUNNING_HOURLY = ['--import', './bench/run-hourly.mjs'];
const REPORTING_TURNS = ['--import', './bench/report-turns.mjs'];
const REPORTING_MEMORY = ['--expose-gc', '--import', './bench/report-memory.mjs'];
const root = fileURLToPath(new URL('..', import.meta.url));

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Of all its threads since its start. */
  readonly micros: ProcessorClock;
  /** Resident memory after garbage collection, of a server that was started with `reportsMemory`. */
  settledBytes(): Promise<number>;
  /** The processor time of the longest turn of the event loop since the last call, of a server that was started with `reportsTurns`. */
  longestTurnMs(): Promise<number>;
}

/** A folder that is removed with its content when it is disposed. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'doorman-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/**
 * The service as `npm start` runs it, on the database in `folder`, without limits.
 *
 * @param options.env further settings
 * @param options.profileFolder where V8 writes a CPU profile at the end
 * @param options.reportsMemory whether it prints its memory at SIGUSR2
 * @param options.reportsTurns whether it prints its longest turn at SIGUSR2
 * @param options.runsHourly whether it does its hourly work at SIGUSR2
 */
export async function startDoorman(
  folder: string,
  options: {
    env?: Record<string, string>;
    profileFolder?: string | undefined;
    reportsMemory?: boolean;
    reportsTurns?: boolean;
    runsHourly?: boolean;
  } = {},
): Promise<ServerProcess> {
  const { env = {}, profileFolder, reportsMemory, reportsTurns, runsHourly } = options;
  const imports = [
    ...(reportsMemory ? REPORTING_MEMORY : []),
    ...(reportsTurns ? REPORTING_TURNS : []),
    ...(runsHourly ? RUNNING_HOURLY : []),
  ];
  return startServer([...profiling(profileFolder), ...imports, 'src/main.ts'], {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    RATE_LIMIT_API: 'off',
    RATE_LIMIT_AUTH: 'off',
    // Calls are not logged at this level; the line with the port is.
    LOG_LEVEL: 'info',
    ...env,
  });
}

/** A program, with its arguments, to its end. */
export async function runProgram(words: readonly string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithParent(child);
  const errors = text(child.stderr);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${await errors}`);
}

/** `node:http` that answers every request with `body` from memory, which is passed as a file in `folder`. */
export async function startBareHttp(folder: string, body: Uint8Array, status = 200): Promise<ServerProcess> {
  const file = join(folder, `body-${crypto.randomUUID()}`);
  await writeFile(file, body);
  return startServer(['bench/bare/http.mjs', file, String(status)], {});
}

/** fastify that answers every request with this picture, which it reads from a file in `folder` each time. */
export async function startBareFile(folder: string, picture: Uint8Array): Promise<ServerProcess> {
  const file = join(folder, 'picture.png');
  await writeFile(file, picture);
  return startServer(['bench/bare/file.mjs', file], {});
}

/** `ws` that answers every frame with the same one, and reports its memory. */
export async function startBareWs(): Promise<ServerProcess> {
  return startServer([...REPORTING_MEMORY, 'bench/bare/ws.mjs'], {});
}

/** `ws` that passes messages on, stores nothing, and reports its memory. */
export async function startBareRelay(): Promise<ServerProcess> {
  return startServer([...REPORTING_MEMORY, 'bench/bare/relay.mjs'], {});
}

/** Of pino. What the server answers with 500 it logs at this level. */
const ERROR_LEVEL = 50;

async function startServer(args: readonly string[], env: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithParent(child);
  const lines = createInterface(child.stdout);
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let onReport = (_number: number) => {};
  lines.on('line', (line) => {
    const logged: { level?: number; url?: string; residentBytes?: number; longestTurnMs?: number } =
      JSON.parse(line);
    if (logged.level !== undefined && logged.level >= ERROR_LEVEL) console.error(line);
    if (logged.url !== undefined) resolve(logged.url);
    const report = logged.residentBytes ?? logged.longestTurnMs;
    if (report !== undefined) onReport(report);
  });
  child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  const pid = child.pid ?? 0;
  const askForReport = () => {
    const reported = Promise.withResolvers<number>();
    onReport = reported.resolve;
    child.kill('SIGUSR2');
    return reported.promise;
  };
  return {
    port: Number(new URL(await url).port),
    pid,
    micros: () => processMicros(pid),
    settledBytes: askForReport,
    longestTurnMs: askForReport,
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** How often a call is made again that a busy machine made the service refuse. */
const RETRIES = 20;

/** One call that is not measured. While the service is overloaded, the call is repeated after its `Retry-After`. */
export async function call(
  server: ServerProcess,
  method: 'GET' | 'POST',
  path: string,
  request: { token?: string; body?: object } = {},
  retries = RETRIES,
): Promise<Answer> {
  const { token, body } = request;
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status === 429 && retries > 0) {
    await delay(Number(response.headers.get('retry-after') ?? 1) * 1000);
    return call(server, method, path, request, retries - 1);
  }
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${bytes.toString('utf8', 0, 1000)}`);
  return { bytes, data: JSON.parse(bytes.toString()).data };
}

export interface Answer {
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is known where the call is made
  readonly data: any;
}

/** A process that measures something by itself, one round at a time. */
export interface RoundsProcess extends AsyncDisposable {
  measure(seconds: number): Promise<Round>;
  /** Of the work that it measured. */
  readonly micros: ProcessorClock;
}

/**
 * @param file under `bench/`, which calls `answerRounds`
 * @param options.profileFolder where V8 writes a CPU profile at the end
 */
export async function startRounds(
  file: string,
  options: { env?: Record<string, string>; profileFolder?: string | undefined } = {},
): Promise<RoundsProcess> {
  const { env = {}, profileFolder } = options;
  const child = spawn(process.execPath, [...profiling(profileFolder), join('bench', file)], {
    cwd: root,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  endWithParent(child);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`bench/${file} ended with ${code}`);
  });
  ended.catch(() => {}); // handled where an answer is awaited
  const answer = () => Promise.race([once(child, 'message'), ended]);
  await answer();
  let micros = 0;
  return {
    async measure(seconds) {
      child.send(seconds);
      const [round]: TimedRound[] = await answer();
      if (!round) throw new Error(`bench/${file} sent nothing`);
      micros += round.micros;
      return round;
    },
    micros: async () => micros,
    [Symbol.asyncDispose]: () => end(child),
  };
}

interface TimedRound extends Round {
  readonly micros: number;
}

/**
 * In a process that `startRounds` started: at each request, does `batch` over and over for so many seconds, and measures it.
 *
 * @param batch may take up to so many seconds. @returns how often it did its work
 * @param prepare runs before each batch, and is not measured
 */
export function answerRounds(batch: (seconds: number) => Promise<number>, prepare = async () => {}): void {
  process.on('message', async (seconds) => {
    let ms = 0;
    let micros = 0;
    let count = 0;
    while (ms < Number(seconds) * 1000) {
      await prepare();
      const startedAt = performance.now();
      const before = process.cpuUsage();
      count += await batch(Number(seconds));
      const { user, system } = process.cpuUsage(before);
      ms += performance.now() - startedAt;
      micros += user + system;
    }
    process.send?.({ perSecond: count / (ms / 1000), count, micros } satisfies TimedRound);
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
  process.send?.('ready');
}

/** Resident memory of a process, in bytes; `undefined` where the system has no /proc. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** No server outlives the bench, whether a failure or a signal ends it. */
function endWithParent(child: ChildProcess): void {
  const stop = () => child.kill();
  process.once('exit', stop);
  child.once('exit', () => process.off('exit', stop));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function profiling(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

/** The environment without settings of the service or of Node. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]));
}
