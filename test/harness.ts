import type { TestContext } from 'node:test';
import { buildApp } from '../src/app.ts';
import { type Config, readConfig } from '../src/config.ts';
import type { App } from '../src/http/server.ts';
import { openLog } from '../src/log.ts';
import { startPeriodicJobs } from '../src/periodic-jobs.ts';
import { openPushWorker, type PushWorker } from '../src/push/delivery/worker.ts';
import { openServices, type Services, type World } from '../src/services.ts';
import type { TestDatabase } from './databases.ts';
import { disposeAfter } from './dispose-after.ts';

/** An answer as a client sees it, its body parsed. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // Answers are untyped; tests assert what they expect.
  body: Body;
  text: string;
}

/** The parsed JSON of an answer, whose fields the tests assert. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads fields of answers that may be anything, and fails if they are not there
export type Body = any;

export interface Call {
  token?: string;
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** The address the call comes from. */
  from?: string;
}

export interface Person {
  id: string;
  username: string;
  password: string;
  token: string;
}

export interface TestService {
  readonly app: App;
  readonly services: Services;
  get(path: string, call?: Call): Promise<Answer>;
  post(path: string, body?: unknown, call?: Call): Promise<Answer>;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** Registers a user through the interface, with the password `password-of-NAME`. */
  join(username: string): Promise<Person>;
  readonly pushes: PushWorker;
  /** What was logged so far, a line each. */
  readonly logLines: string[];
  /** Ends the service and starts another on the same database; this one must not be used afterwards. */
  restart(): Promise<TestService>;
}

interface Options {
  /** Settings on top of those for tests: no limits, cheap hashes, a public address. */
  env?: Record<string, string>;
  world?: World;
}

/**
 * The whole service without a port, on an empty database of its own; it ends with the test. Requests go through
 * `app.inject`. `listen` of the app opens a real port where one is needed.
 */
export async function startService(
  t: TestContext,
  database: TestDatabase,
  options: Options = {},
): Promise<TestService> {
  // Registered before the database's own end, which must come after this one.
  const running = { end: async () => {}, [Symbol.asyncDispose]: () => running.end() };
  disposeAfter(t, running);
  return startOn(running, await testConfig(t, database, options.env), options.world);
}

async function startOn(
  running: { end: () => Promise<void> },
  config: Config,
  world: World | undefined,
): Promise<TestService> {
  const ending = new AsyncDisposableStack();
  running.end = () => ending.disposeAsync();
  const logLines: string[] = [];
  const log = openLog('debug', { write: (line: string) => void logLines.push(line) });
  const services = ending.use(await openServices(config, log, world));
  ending.use(startPeriodicJobs(services));
  const pushes = ending.use(openPushWorker({ ...services, publicUrl: config.publicUrl }));
  const app = await buildApp(services);
  ending.defer(() => app.close());

  async function call(
    method: string,
    path: string,
    { token, body, raw, headers = {}, from }: Call = {},
  ): Promise<Answer> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await app.inject({
      // Node knows more methods than the type of inject does.
      method: method as 'GET',
      url: path,
      ...(from && { remoteAddress: from }),
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: answer.body && JSON.parse(answer.body),
    };
  }

  return {
    app,
    services,
    pushes,
    logLines,
    call,
    get: (path, options) => call('GET', path, options),
    restart: async () => {
      await running.end();
      return startOn(running, config, world);
    },
    post: (path, body, options) => call('POST', path, { ...(body !== undefined && { body }), ...options }),
    async join(username) {
      const password = `password-of-${username}`;
      const { body } = await call('POST', '/api/register', { body: { username, password } });
      if (body.code !== 200) throw new Error(`${username} could not register: ${JSON.stringify(body)}`);
      return { id: body.data.id, username, password, token: body.data.token };
    },
  };
}

/** The configuration of a test's service, all of it from `readConfig`. */
export async function testConfig(
  t: TestContext,
  database: TestDatabase,
  env: Record<string, string> = {},
): Promise<Config> {
  const settings = await database.create(t);
  return readConfig({
    ...('dataDir' in settings ? { DATA_DIR: settings.dataDir } : { DATABASE_URL: settings.databaseUrl }),
    PORT: '0',
    BCRYPT_COST: '4',
    RATE_LIMIT_API: 'off',
    RATE_LIMIT_AUTH: 'off',
    ...env,
  });
}
