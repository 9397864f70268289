import { readdir } from 'node:fs/promises';
import type { NodeServices } from '../nodes/node-services.ts';
import type { Services } from '../services.ts';
import type { ScrapedMetrics } from './scraped-metrics.ts';
import { READ_MS, type StoredFigures } from './stored-figures.ts';

/** Metrics of the process, the database and Redis. */
export function defineSystemMetrics(
  metrics: ScrapedMetrics,
  { db, nodes }: Services,
  stored: StoredFigures,
): void {
  metrics.gauge('process_open_fds', 'Open file descriptors; each connection takes one.', () =>
    // Where the system lists them.
    readdir('/proc/self/fd').then(
      (descriptors) => descriptors.length,
      () => null,
    ),
  );
  defineDatabaseMetrics(metrics, db, stored);
  if (nodes) defineNodeMetrics(metrics, nodes);
}

function defineDatabaseMetrics(metrics: ScrapedMetrics, db: Services['db'], stored: StoredFigures): void {
  metrics.gauge(
    'doorman_database_up',
    `1 if the database could be read and takes writes, else 0. Asked up to ${READ_MS / 1000} s ago.`,
    () => (stored.isUp === null ? null : Number(stored.isUp)),
  );
  metrics.counter('doorman_database_commits_total', 'Commits of this process.', () => db.figures().commits);
  metrics.counter(
    'doorman_database_transactions_total',
    'Transactions that were committed; on SQLite several share a commit.',
    () => db.figures().transactions,
  );
  metrics.gauge(
    'doorman_pool_connections',
    'Open connections to the database, by pool and state. SQLite has one that writes.',
    () =>
      db.figures().pools.flatMap(({ name: pool, open, used }) => [
        { labels: { pool, state: 'used' }, value: used },
        { labels: { pool, state: 'idle' }, value: open - used },
      ]),
  );
  metrics.gauge(
    'doorman_pool_connections_max',
    'How many connections a pool may have.',
    () => Object.fromEntries(db.figures().pools.map(({ name, max }) => [name, max])),
    'pool',
  );
  metrics.gauge(
    'doorman_pool_waiting',
    'Operations that wait for a connection; beyond 1000 they are refused (429).',
    () => Object.fromEntries(db.figures().pools.map(({ name, waiting }) => [name, waiting])),
    'pool',
  );
  const { durations } = db.figures();
  if (durations)
    metrics.histogram(
      'db_client_operation_duration_seconds',
      'How long operations of the database took, with their time in its queue.',
      durations,
      ['db_system_name', 'db_operation_name'],
    );
}

function defineNodeMetrics(metrics: ScrapedMetrics, { dropped, link, membership }: NodeServices): void {
  let losses = 0;
  link.on('down', () => losses++);
  metrics.gauge(
    'doorman_redis_up',
    '1 if this node is connected to Redis, else 0. Missing without REDIS_URL.',
    () => Number(link.isUp),
  );
  metrics.counter(
    'doorman_redis_losses_total',
    'How often the connection to Redis was lost. Missing without REDIS_URL.',
    () => losses,
  );
  metrics.counter(
    'doorman_redis_dropped_messages_total',
    'Messages on Redis that no other node wrote, or that came twice or too late. Missing without REDIS_URL.',
    () => dropped.totals,
    'reason',
  );
  metrics.gauge(
    'doorman_nodes',
    'The nodes that this one knows, with itself. Missing without REDIS_URL.',
    () => membership.peers().length + 1,
  );
}
