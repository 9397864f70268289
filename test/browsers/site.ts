import { once } from 'node:events';
import { createServer } from 'node:net';
import { accountMails } from '../../src/accounts/account-mails.ts';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/log.ts';
import { openMailWorker } from '../../src/mail/mail-worker.ts';
import { startPeriodicJobs } from '../../src/periodic-jobs.ts';
import { openPushWorker } from '../../src/push/send/worker.ts';
import { openServices, type Services, type World } from '../../src/services.ts';
import { runCommand } from '../commands.ts';
import type { Body } from '../harness.ts';
import { addCrowd } from '../people.ts';
import { type ServerProcess, settingsOf, startServer } from '../processes.ts';
import { makeTemporaryFolder, removeFolder } from '../temporary-folders.ts';
import { endingsOf, type Scope } from './endings.ts';

/** A user who registered through the interface. */
export interface Account {
  id: string;
  username: string;
  password: string;
  token: string;
}

/** The service with its page, at an origin of its own that no other test uses. */
export interface Site {
  /** Its origin, which is its `PUBLIC_URL`. */
  readonly url: string;
  get(path: string, token?: string): Promise<{ status: number; body: Body }>;
  post(path: string, body: unknown, token?: string): Promise<{ status: number; body: Body }>;
  /** Registers a user with the password `password-of-NAME`. */
  join(username: string): Promise<Account>;
  /** Runs an operator's command on its data, as `npm run doorman` does while the service runs. @returns what it printed */
  command(...words: string[]): Promise<string>;
}

export interface SiteProcess extends Site {
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, at the same origin with the same data. */
  start(): Promise<void>;
}

interface SiteOptions {
  env?: Record<string, string>;
  world?: World;
  /** The number of users that exist from the start: `crowd1`, `crowd2` .. */
  crowd?: number;
  /** Called once the services are open, for a test that fills the database. */
  opened?: (services: Services) => void;
}

/**
 * The service on an empty database, inside the process of the test, where a test can replace the outside world; it ends
 * with `scope`.
 */
export async function startSite(
  scope: Scope,
  { env = {}, world = {}, crowd = 0, opened }: SiteOptions = {},
): Promise<Site> {
  const { settings, url } = await chooseSettings(scope, env);
  const config = readConfig(settings);
  const endings = endingsOf(scope);
  const services = endings.use(await openServices(config, openLog('silent'), world));
  if (crowd > 0) await addCrowd(services.db, crowd);
  opened?.(services);
  endings.use(startPeriodicJobs(services));
  endings.use(openPushWorker({ ...services, publicUrl: config.publicUrl }));
  const { mac, mail } = services.accounts;
  const mails = openMailWorker(services, mail, accountMails(config.publicUrl, mac));
  if (mails) endings.use(mails);
  const app = await buildApp(services);
  endings.defer(() => app.close());
  await app.listen({ port: config.port, host: config.host });
  return callers(url, settings);
}

/** The same in a process of its own, which takes half a second longer and can be killed. */
export async function startSiteProcess(scope: Scope, env: Record<string, string> = {}): Promise<SiteProcess> {
  const { settings, url } = await chooseSettings(scope, env);
  let server: ServerProcess | undefined;
  const start = async () => {
    server = await startServer(settings);
  };
  const kill = async () => server?.kill();
  await start();
  endingsOf(scope).defer(kill);
  return { ...callers(url, settings), kill, start };
}

async function chooseSettings(scope: Scope, env: Record<string, string>) {
  const dataDir = await makeTemporaryFolder('site');
  endingsOf(scope).defer(() => removeFolder(dataDir));
  const port = await findPort();
  const url = `http://127.0.0.1:${port}`;
  return { url, settings: settingsOf({ dataDir }, { PORT: String(port), PUBLIC_URL: url, ...env }) };
}

/** Below the ports that systems assign, so that no other process takes it while the service is down. */
async function findPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return port;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    } finally {
      server.close();
    }
  }
}

function callers(url: string, settings: Record<string, string>): Site {
  async function call(path: string, token: string | undefined, request: RequestInit) {
    const headers = {
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(url + path, { ...request, headers });
    return { status: response.status, body: await response.json() };
  }
  const post: Site['post'] = (path, body, token) =>
    call(path, token, { method: 'POST', body: JSON.stringify(body) });
  return {
    url,
    get: (path, token) => call(path, token, {}),
    post,
    async join(username) {
      const password = `password-of-${username}`;
      const { body } = await post('/api/register', { username, password });
      if (body.code !== 200) throw new Error(`${username} could not register: ${JSON.stringify(body)}`);
      return { id: body.data.id, username, password, token: body.data.token };
    },
    async command(...words) {
      const { code, output, errors } = await runCommand(settings, words);
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${errors}`);
      return output;
    },
  };
}
