import { pino } from 'pino';
import { buildApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
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
  const log = pino({ level: config.logLevel, base: undefined });
  const stopAsked = untilSignal();
  await using services = await openServices(config, log);
  await using _rounds = startRounds(services);
  await using pushes = openPushWorker(services);
  const app = await buildApp(services);
  await app.listen({ port: config.port, host: config.host });
  if (config.tryingLocally)
    log.warn('push endpoints on this machine are allowed: HOST and PUBLIC_URL are both loopback');
  if (config.vapidSubjectIsPlaceholder)
    log.warn('VAPID_SUBJECT is a placeholder: push services may refuse it');
  log.info({ url: app.listeningOrigin, database: services.db.kind }, 'serving');

  const signal = await stopAsked;
  log.info({ signal }, 'stopping');
  services.readiness.draining = true;
  process.once('SIGTERM', () => process.exit(1));
  process.once('SIGINT', () => process.exit(1));
  const tooLong = setTimeout(() => app.server.closeAllConnections(), STOP_MS);
  await Promise.all([app.close(), pushes[Symbol.asyncDispose]()]);
  clearTimeout(tooLong);
  log.info('stopped');
  return 0;
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
