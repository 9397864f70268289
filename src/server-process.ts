import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { explain } from './commands/explain.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openLog } from './log.ts';
import { openPushWorker } from './push/worker.ts';
import { startRounds } from './rounds.ts';
import { openServices } from './services.ts';

/** How long a stop may take; whoever is not served by then is cut off. */
const STOP_MS = 14_000;

/**
 * Runs the service until it is told to stop: the first SIGTERM or SIGINT finishes what is under way, a second one
 * ends at once.
 *
 * @returns the exit code
 */
export async function runServer(env: NodeJS.ProcessEnv): Promise<number> {
  const config = readOrExplain(env);
  if (!config) return 1;
  const log = openLog(config.logLevel);
  await using running = new AsyncDisposableStack();
  const started = await start(config, log, running).catch((err) => {
    process.stderr.write(`Doorman could not start: ${explain(err)}\n`);
    log.debug({ err }, 'could not start');
    return undefined;
  });
  if (!started) return 1;
  const { app, services } = started;

  const signal = await untilSignal();
  process.once('SIGTERM', () => process.exit(1));
  process.once('SIGINT', () => process.exit(1));
  log.info({ signal }, 'stopping');
  services.readiness.draining = true;
  const tooLong = setTimeout(() => app.server.closeAllConnections(), STOP_MS);
  await running.disposeAsync();
  clearTimeout(tooLong);
  log.info('stopped');
  return 0;
}

/**
 * Starts to serve. A signal before it does ends the process as it always would: nobody waits for an answer yet.
 *
 * @param running is given what is to be ended
 */
async function start(config: Config, log: Logger, running: AsyncDisposableStack) {
  const services = running.use(await openServices(config, log));
  running.use(startRounds(services));
  const app = await buildApp(services);
  const pushes = openPushWorker(services);
  running.defer(async () => void (await Promise.all([app.close(), pushes[Symbol.asyncDispose]()])));
  await app.listen({ port: config.port, host: config.host });
  if (config.tryingLocally)
    log.warn('push endpoints on this machine are allowed: HOST and PUBLIC_URL are both loopback');
  if (config.vapidSubjectIsPlaceholder)
    log.warn('VAPID_SUBJECT is a placeholder: push services may refuse it');
  log.info({ url: app.listeningOrigin, database: services.db.kind }, 'serving');
  return { app, services };
}

function readOrExplain(env: NodeJS.ProcessEnv) {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) process.stderr.write(`${fault}\n`);
    return undefined;
  }
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
