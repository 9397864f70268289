import { after } from 'node:test';
import type { Logger } from 'pino';
import { accountMails } from '../src/accounts/account-mails.ts';
import { buildApp } from '../src/app.ts';
import { type Config, readConfig } from '../src/config/config.ts';
import type { App } from '../src/http/server.ts';
import { openLog } from '../src/log.ts';
import { type MailBuilders, type MailWorker, openMailWorker } from '../src/mail/mail-worker.ts';
import { startPeriodicJobs } from '../src/periodic-jobs.ts';
import { openPushWorker, type PushWorker } from '../src/push/send/worker.ts';
import { openServices, type Services, type World } from '../src/services.ts';
import { type DatabaseSettings, databaseEnv, type TestDatabase } from './databases.ts';
import { disposeAfter, type Scope } from './dispose-after.ts';
import { allKnown, nodeTimesOf } from './nodes.ts';
import { checkAnswer } from './openapi.ts';

/** An answer as a client sees it, its body parsed. */
export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // Answers are untyped; tests assert what they expect.
  body: Body;
  text: string;
  /** The same before it was decoded; only of a service without a port. */
  bytes?: Buffer;
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

/** Calls of the interface, over HTTP without a port. An answer that `/openapi.json` does not describe throws. */
interface Calls {
  get(path: string, call?: Call): Promise<Answer>;
  post(path: string, body?: unknown, call?: Call): Promise<Answer>;
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

/** One server, or one of the nodes of a service. */
export interface TestNode extends Calls, AsyncDisposable {
  readonly app: App;
  readonly services: Services;
  readonly pushes: Pick<PushWorker, 'runDue' | typeof Symbol.asyncDispose>;
  /** Only with `SMTP_URL` in `env`. */
  readonly mails: Pick<MailWorker, 'runDue' | typeof Symbol.asyncDispose>;
}

/** `app` and `services` are those of the first node; `pushes` and `mails` concern all. */
export interface TestService extends Calls, Omit<TestNode, typeof Symbol.asyncDispose> {
  /** One, or all that serve the database; each call goes to the next of them. */
  readonly nodes: readonly TestNode[];
  /** Registers a user through the interface, with the password `password-of-NAME`. */
  join(username: string): Promise<Person>;
  /** What was logged so far, a line each. */
  readonly logLines: string[];
  /** Ends the service and starts another on the same database; this one must not be used afterwards. */
  restart(): Promise<TestService>;
}

export interface ServiceOptions {
  /**
   * Settings on top of those for tests: no limits, cheap hashes, a public address. As a function: those of one node, by its
   * place.
   */
  env?: Record<string, string> | ((node: number, settings: DatabaseSettings) => Record<string, string>);
  /** The same for all nodes, or that of the node with this number, from 0. */
  world?: World | ((node: number) => World);
  /** How many nodes; else as many as the database has. */
  count?: number;
  /** Mails of this test, instead of those of accounts. */
  mailBuilders?: Partial<MailBuilders>;
}

/**
 * The whole service without a port, on an empty database of its own; it ends with the test. Requests go through
 * `app.inject`. `listen` of the app opens a real port where one is needed.
 */
export async function startService(
  t: Scope,
  database: TestDatabase,
  options: ServiceOptions = {},
): Promise<TestService> {
  // Registered before the database's own end, which must come after this one.
  const running = { end: async () => {}, [Symbol.asyncDispose]: () => running.end() };
  disposeAfter(t, running);
  const { count = database.nodes, env = {} } = options;
  const settings = await database.create(t);
  const configs = Array.from({ length: count }, (_, node) =>
    configOf(settings, typeof env === 'function' ? env(node, settings) : env),
  );
  return startOn(running, configs, options);
}

/** What tests that store nothing have in common. */
export interface SharedService {
  service: TestService;
  /** The only user. */
  alice: Person;
}

/** @returns the service that the tests of a group share; the first that asks starts it, and it ends with the group */
export function shareService(database: TestDatabase): () => Promise<SharedService> {
  let started: Promise<SharedService> | undefined;
  const ends: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of ends.splice(0)) await end();
  });
  const start = async () => {
    const service = await startService({ after: (end) => void ends.push(end) }, database);
    return { service, alice: await service.join('alice') };
  };
  return () => (started ??= start());
}

async function startOn(
  running: { end: () => Promise<void> },
  configs: readonly Config[],
  options: ServiceOptions,
): Promise<TestService> {
  const { world } = options;
  const logLines: string[] = [];
  const log = openLog('debug', { write: (line: string) => void logLines.push(line) });
  const nodes: TestNode[] = [];
  running.end = async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]())));
  const starting = configs.map((config, node) => {
    const own = typeof world === 'function' ? world(node) : world;
    return startNode(config, log, { ...own, nodeTimes: nodeTimesOf(own) }, options);
  });
  for (const start of await Promise.allSettled(starting))
    if (start.status === 'fulfilled') nodes.push(start.value);
  await Promise.all(starting);
  await allKnown(nodes);
  const [first] = nodes;
  if (!first) throw new Error('a service of no node');

  let next = 0;
  const calls = callsBy(async (...call) => (nodes[next++ % nodes.length] ?? first).call(...call));
  return {
    ...calls,
    app: first.app,
    services: first.services,
    pushes: inTurn(nodes.map(({ pushes }) => pushes)),
    mails: inTurn(nodes.map(({ mails }) => mails)),
    nodes,
    logLines,
    restart: async () => {
      await running.end();
      return startOn(running, configs, options);
    },
    async join(username) {
      const password = `password-of-${username}`;
      const { body } = await calls.post('/api/register', { username, password });
      if (body.code !== 200) throw new Error(`${username} could not register: ${JSON.stringify(body)}`);
      return { id: body.data.id, username, password, token: body.data.token };
    },
  };
}

/** The workers of all nodes as one. */
function inTurn(workers: TestNode['pushes'][]): TestNode['pushes'] {
  return {
    async runDue() {
      for (const worker of workers) await worker.runDue();
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker[Symbol.asyncDispose]();
    },
  };
}

async function startNode(
  config: Config,
  log: Logger,
  world: World,
  { mailBuilders }: ServiceOptions,
): Promise<TestNode> {
  await using starting = new AsyncDisposableStack();
  const services = starting.use(await openServices(config, log, world));
  starting.use(startPeriodicJobs(services));
  const pushes = starting.use(openPushWorker({ ...services, publicUrl: config.publicUrl }));
  const builders = { ...accountMails(config.publicUrl, services.accounts.mac), ...mailBuilders };
  const mails = starting.use(openMailWorker(services, services.accounts.mail, builders) ?? inTurn([]));
  const app = await buildApp(services);
  starting.defer(() => app.close());
  const calls = callsBy(async (method, path, { token, body, raw, headers = {}, from } = {}) => {
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
    const seen: Answer = {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      bytes: answer.rawPayload,
      body: answer.body && isJson(answer.headers) ? JSON.parse(answer.body) : '',
    };
    await checkAnswer(app, method, path, seen);
    return seen;
  });
  const running = starting.move();
  return { ...calls, app, services, pushes, mails, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Not the bytes of a picture, nor lines of JSON. */
function isJson(headers: Record<string, unknown>): boolean {
  return !/^(image\/|application\/x-ndjson)/.test(String(headers['content-type']));
}

function callsBy(call: Calls['call']): Calls {
  return {
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...(body !== undefined && { body }), ...options }),
  };
}

/** The configuration of a test's service, all of it from `readConfig`. */
export async function testConfig(
  t: Scope,
  database: TestDatabase,
  env: Record<string, string> = {},
): Promise<Config> {
  return configOf(await database.create(t), env);
}

function configOf(settings: DatabaseSettings, env: Record<string, string>): Config {
  return readConfig({
    ...databaseEnv(settings),
    PORT: '0',
    BCRYPT_COST: '4',
    RATE_LIMIT_API: 'off',
    RATE_LIMIT_AUTH: 'off',
    RATE_LIMIT_KEYS: 'off',
    RATE_LIMIT_PICTURE_READS: 'off',
    ...env,
  });
}
