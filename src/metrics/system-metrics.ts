import { readdir } from 'node:fs/promises';
import type { Durations } from '../db/durations.ts';
import type { Services } from '../services.ts';
import { type EventLoopDelay, readEventLoopTime } from './event-loop.ts';
import { byLabel, type DurationMetric, type Metric, one } from './metric.ts';
import { READ_MS, type StoredFigures } from './stored-figures.ts';

/** The bounds that OpenTelemetry advises for HTTP. */
export const HTTP_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Metrics of event loop, database and Redis. */
export function systemMetrics(services: Services, delay: EventLoopDelay, stored: StoredFigures): Metric[] {
  return [
    ...eventLoopMetrics(delay),
    openFiles,
    ...databaseMetrics(services, stored),
    ...nodeMetrics(services),
  ];
}

export function systemDurations({ measures }: Services, requests: Durations): DurationMetric[] {
  return [
    {
      name: 'http_server_request_duration_seconds',
      help: 'How long requests took to be answered, by method, route template (none: no route) and status.',
      labels: ['http_request_method', 'http_route', 'http_response_status_code'],
      durations: requests,
    },
    ...(measures
      ? [
          {
            name: 'db_client_operation_duration_seconds',
            help: 'How long operations of the database took, with their time in its queue.',
            labels: ['db_system_name', 'db_operation_name'],
            durations: measures.database,
          },
        ]
      : []),
  ];
}

/** Where the system lists them. */
const openFiles: Metric = {
  name: 'process_open_fds',
  kind: 'gauge',
  help: 'Open file descriptors; each connection takes one.',
  read: () =>
    readdir('/proc/self/fd').then(
      (descriptors) => one(descriptors.length),
      () => [],
    ),
};

function eventLoopMetrics(delay: EventLoopDelay): Metric[] {
  const statistics = ['min', 'mean', 'stddev', 'p50', 'p90', 'p99', 'max'] as const;
  return [
    ...statistics.map((name) => ({
      name: `nodejs_eventloop_delay_${name}_seconds`,
      kind: 'gauge' as const,
      help: 'How late the event loop ran a timer, since the scrape before.',
      read: () => one(delay.latest[name]),
    })),
    {
      name: 'nodejs_eventloop_time_seconds_total',
      kind: 'counter',
      help: 'How long the event loop worked (active), and how long it waited (idle).',
      labels: ['nodejs_eventloop_state'],
      read: () => byLabel('nodejs_eventloop_state', readEventLoopTime()),
    },
  ];
}

function databaseMetrics({ db }: Services, stored: StoredFigures): Metric[] {
  return [
    {
      name: 'doorman_database_up',
      kind: 'gauge',
      help: `1 if the database could be read and takes writes, else 0. Asked up to ${READ_MS / 1000} s ago.`,
      read: () => (stored.isUp === null ? [] : one(stored.isUp ? 1 : 0)),
    },
    {
      name: 'doorman_database_commits_total',
      kind: 'counter',
      help: 'Commits of this process.',
      read: () => one(db.figures().commits),
    },
    {
      name: 'doorman_database_transactions_total',
      kind: 'counter',
      help: 'Transactions that were committed; on SQLite several share a commit.',
      read: () => one(db.figures().transactions),
    },
    {
      name: 'doorman_pool_connections',
      kind: 'gauge',
      help: 'Open connections to the database, by pool and state. SQLite has one that writes.',
      labels: ['pool', 'state'],
      read: () =>
        db.figures().pools.flatMap(({ name: pool, open, used }) => [
          { labels: { pool, state: 'used' }, value: used },
          { labels: { pool, state: 'idle' }, value: open - used },
        ]),
    },
    {
      name: 'doorman_pool_connections_max',
      kind: 'gauge',
      help: 'How many connections a pool may have.',
      labels: ['pool'],
      read: () => db.figures().pools.map(({ name: pool, max }) => ({ labels: { pool }, value: max })),
    },
    {
      name: 'doorman_pool_waiting',
      kind: 'gauge',
      help: 'Operations that wait for a connection; beyond 1000 they are refused (429).',
      labels: ['pool'],
      read: () => db.figures().pools.map(({ name: pool, waiting }) => ({ labels: { pool }, value: waiting })),
    },
  ];
}

/** Without samples where one server has the database. */
function nodeMetrics({ nodes }: Services): Metric[] {
  let losses = 0;
  nodes?.link.onDown(() => losses++);
  return [
    {
      name: 'doorman_redis_up',
      kind: 'gauge',
      help: '1 if this node is connected to Redis, else 0. Missing without REDIS_URL.',
      read: () => (nodes ? one(nodes.link.isUp ? 1 : 0) : []),
    },
    {
      name: 'doorman_redis_losses_total',
      kind: 'counter',
      help: 'How often the connection to Redis was lost. Missing without REDIS_URL.',
      read: () => (nodes ? one(losses) : []),
    },
    {
      name: 'doorman_redis_dropped_messages_total',
      kind: 'counter',
      help: 'Messages on Redis that no other node wrote, or that came twice or too late. Missing without REDIS_URL.',
      labels: ['reason'],
      read: () => (nodes ? byLabel('reason', nodes.dropped.totals) : []),
    },
    {
      name: 'doorman_nodes',
      kind: 'gauge',
      help: 'The nodes that this one knows, with itself. Missing without REDIS_URL.',
      read: () => (nodes ? one(nodes.membership.peers().length + 1) : []),
    },
  ];
}
