import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { accountMails } from './accounts/account-mails.ts';
import { buildApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import type { App } from './http/server.ts';
import { openLog } from './log.ts';
import { openMailWorker } from './mail/mail-worker.ts';
import { startPeriodicJobs } from './periodic-jobs.ts';
import { openPushWorker } from './push/send/worker.ts';
import { openServices, type Services, type World } from './services.ts';
import { explainStart } from './start-errors.ts';

/** How long a stop may take; connections that are still open then are cut off. */
const STOP_MS = 14_000;
/** Signals within this time count as the first one: Ctrl-C reaches the whole process group, and npm forwards it too. */
const REPEAT_MS = 1_000;

/**
 * Runs the service until a signal stops it. The first SIGTERM or SIGINT finishes the requests in flight; a second one, at least
 * {@link REPEAT_MS} later, ends the process at once.
 *
 * @param world what a test replaces
 * @returns the exit code
 */
export async function runServer(env: NodeJS.ProcessEnv, world: World = {}): Promise<number> {
  const config = readOrExplain(env);
  if (!config) return 1;
  const log = openLog(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  await using running = new AsyncDisposableStack();
  const started = await start(config, log, world, running).catch((err) => {
    process.stderr.write(`Doorman could not start: ${explainStart(err, config)}\n`);
    log.debug({ err }, 'could not start');
    return undefined;
  });
  if (!started) return 1;
  const { app, services } = started;

  const taken = services.databaseTaken.then(() => 'taken' as const);
  const signal = await Promise.race([untilSignal(log), taken]);
  if (signal === 'taken')
    log.fatal('another server took over the database while the connection was lost; stopping');
  log.info({ signal }, 'stopping');
  if (signal !== 'taken') await leave(app, config.drainSeconds);
  const tooLong = setTimeout(() => {
    log.warn('the stop takes too long: open connections are cut off');
    app.server.closeAllConnections();
  }, STOP_MS);
  const failure = await running.disposeAsync().then(
    () => undefined,
    (err: unknown) => ({ err }),
  );
  if (failure) log.warn(failure, 'some data could not be stored at the end');
  clearTimeout(tooLong);
  log.info('stopped');
  return failure || signal === 'taken' ? 1 : 0;
}

/**
 * Starts to serve. A signal during the start ends the process at once: no client waits for an answer yet.
 *
 * @param running gets everything that has to be disposed at the end
 */
async function start(config: Config, log: Logger, world: World, running: AsyncDisposableStack) {
  const services = running.use(await openServices(config, log, world));
  running.use(startPeriodicJobs(services));
  const metrics = config.metrics && running.use(await openMetrics(services, config.metrics));
  const app = await buildApp(services, metrics?.measure);
  const pushes = openPushWorker({ ...services, publicUrl: config.publicUrl });
  const { mac, mail } = services.accounts;
  const mails = openMailWorker(services, mail, accountMails(config.publicUrl, mac));
  running.defer(async () => {
    await Promise.all([app.close(), pushes[Symbol.asyncDispose](), mails?.[Symbol.asyncDispose]()]);
  });
  await app.listen({ port: config.port, host: config.host });
  // V8 counts the buffers of requests as growth of the heap, and would collect all of it after 8 MB of them, some seven uploaded pictures
  // (decision 042). Set once the code is loaded, as a start with it took longer.
  setFlagsFromString('--heap-growing-percent=100');
  if (config.tryingLocally)
    log.warn('push endpoints on this machine are allowed: HOST and PUBLIC_URL are both loopback');
  if (!existsSync(join(config.pageFolder, 'index.html')))
    log.warn({ folder: config.pageFolder }, 'the page is not built: npm run setup builds it');
  if (config.vapidSubjectIsPlaceholder)
    log.warn('VAPID_SUBJECT is a placeholder: push services may refuse it');
  log.info({ url: app.listeningOrigin, database: services.db.kind }, 'serving');
  return { app, services };
}

/** Loads what measures only where it is used. */
async function openMetrics(services: Services, address: { host: string; port: number }) {
  const { openMetrics } = await import('./metrics/metrics.ts');
  return openMetrics(services, address);
}

/** Serves for so long, while `/readyz` answers 503 and calls end their connections, so that a load balancer stops using this server. */
async function leave(app: App, seconds: number): Promise<void> {
  if (seconds === 0) return;
  app.lifecycle.phase = 'leaving';
  app.server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  await delay(seconds * 1_000);
}

function readOrExplain(env: NodeJS.ProcessEnv) {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

/** The handlers stay: without one, a signal would end the process as Node does by default. */
function untilSignal(log: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let receive = (signal: NodeJS.Signals): void => {
      receive = () => {};
      setTimeout(() => {
        receive = () => process.exit(1);
        log.info('a further signal ends the server at once');
      }, REPEAT_MS).unref();
      resolve(signal);
    };
    process.on('SIGTERM', (signal) => receive(signal));
    process.on('SIGINT', (signal) => receive(signal));
  });
}
