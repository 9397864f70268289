import type { ServerHooks } from '../http/server.ts';
import { MOST_COUNTED } from '../push/queue/backlog.ts';
import type { Services } from '../services.ts';
import type { EventCounts } from './event-counts.ts';
import { byLabel, type DurationMetric, type Metric, one, type Sample } from './metric.ts';
import type { RefusalCounts } from './refusal-counts.ts';
import { COUNT_MS, READ_MS, type StoredFigures } from './stored-figures.ts';

/** How many VAPID keys have a series of their own: the newest. */
const MOST_KEYS = 10;
/** So much of a public key tells one from the other. */
const KEY_LETTERS = 12;

const ON_EACH_NODE = 'Of the whole database: each node reports the same number';
const COUNTED = `Counted in the background from ${COUNT_MS / 1000} s to some minutes ago, longer ago the more rows there are`;
const READ = `Read up to ${READ_MS / 1000} s ago; missing while the database is away`;

/** Metrics of sockets, events, pushes, passwords and limits. */
export function serviceMetrics(
  services: Services,
  countSockets: ServerHooks['countSockets'],
  events: EventCounts,
  refusals: RefusalCounts,
  stored: StoredFigures,
): Metric[] {
  const { accounts, inbox, measures, push } = services;
  const { queue } = accounts.passwords;
  return [
    {
      name: 'doorman_sockets',
      kind: 'gauge',
      help: 'Open sockets, also those that have not said hello.',
      read: () => one(countSockets().open),
    },
    {
      name: 'doorman_sockets_opened_total',
      kind: 'counter',
      help: 'Requests that became a socket.',
      read: () => one(countSockets().opened),
    },
    {
      name: 'doorman_socket_devices',
      kind: 'gauge',
      help: 'Sockets that get events: they have said hello.',
      read: () => one(inbox.delivery.deviceCount),
    },
    {
      name: 'doorman_socket_users',
      kind: 'gauge',
      help: 'Users who have such a socket on this node.',
      read: () => one(inbox.delivery.userCount),
    },
    {
      name: 'doorman_events_appended_total',
      kind: 'counter',
      help: 'Events that this process stored in logs of users, by name; a message is two.',
      labels: ['event'],
      read: () => byLabel('event', Object.fromEntries(events.appended)),
    },
    {
      name: 'doorman_events_delivered_total',
      kind: 'counter',
      help: 'Events written to sockets: live ones as they happened, missed ones when a device came back.',
      labels: ['kind'],
      read: () => byLabel('kind', events.delivered),
    },
    {
      name: 'doorman_pushes_total',
      kind: 'counter',
      help: 'Requests to push services, by known service and what they answered, or why none was sent.',
      labels: ['service', 'outcome'],
      read: () => [...(measures?.pushes.answers ?? [])].map(toPushSample),
    },
    {
      name: 'doorman_push_backlog',
      kind: 'gauge',
      help: `Pushes that are due, to be decided or sent, at most ${MOST_COUNTED}. ${ON_EACH_NODE}. ${READ}.`,
      labels: ['stage'],
      read: () => backlogOf(stored, ({ count }) => count),
    },
    {
      name: 'doorman_push_backlog_age_seconds',
      kind: 'gauge',
      help: `For how long the oldest of them has been due. ${ON_EACH_NODE}. ${READ}.`,
      labels: ['stage'],
      read: () =>
        backlogOf(stored, ({ oldestAt }, at) => (oldestAt === null ? 0 : Math.max(0, at - oldestAt) / 1000)),
    },
    {
      name: 'doorman_push_subscriptions',
      kind: 'gauge',
      help: `Push subscriptions by the first letters of the VAPID key they were made with. ${ON_EACH_NODE}. ${COUNTED}.`,
      labels: ['vapid_key', 'current'],
      read: () => subscriptionsOf(stored, push.vapidKeys.publicKeys),
    },
    {
      name: 'doorman_hash_queue',
      kind: 'gauge',
      help: 'Password hashes: those that are computed now, and those that wait for it.',
      labels: ['state'],
      read: () => byLabel('state', { running: queue.running, waiting: queue.waiting }),
    },
    {
      name: 'doorman_hash_queue_limit',
      kind: 'gauge',
      help: 'How many may be computed at once, and how many may wait; beyond that logins are refused (429).',
      labels: ['state'],
      read: () => byLabel('state', { running: queue.concurrency, waiting: queue.limit }),
    },
    {
      name: 'doorman_weak_hashes',
      kind: 'gauge',
      help: `Users whose next login replaces their password hash by a stronger one. ${ON_EACH_NODE}. ${COUNTED}.`,
      read: () => (stored.weakHashes === null ? [] : one(stored.weakHashes)),
    },
    {
      name: 'doorman_refusals_total',
      kind: 'counter',
      help: 'Requests and frames that a limit refused: api, auth and account of the settings, else its error word.',
      labels: ['limit'],
      read: () => byLabel('limit', refusals.read()),
    },
  ];
}

export function serviceDurations({ measures }: Services, events: EventCounts): DurationMetric[] {
  return [
    {
      name: 'doorman_delivery_lag_seconds',
      help: 'From the time of an event, taken before its commit, until it was written to a socket that was live.',
      labels: [],
      durations: events.lag,
    },
    ...(measures
      ? [
          {
            name: 'doorman_push_duration_seconds',
            help: 'How long requests to push services took, by known service.',
            labels: ['service'],
            durations: measures.pushes.durations,
          },
        ]
      : []),
  ];
}

function toPushSample([key, value]: [key: string, value: number]): Sample {
  const [service = '', outcome = ''] = key.split(' ');
  return { labels: { service, outcome }, value };
}

type Stage = NonNullable<StoredFigures['backlog']>['decide'];

function backlogOf({ backlog }: StoredFigures, read: (stage: Stage, at: number) => number): Sample[] {
  if (!backlog) return [];
  const { decide, send, at } = backlog;
  return byLabel('stage', { decide: read(decide, at), send: read(send, at) });
}

/** @param keys all public keys, the newest last */
function subscriptionsOf({ subscriptions }: StoredFigures, keys: readonly string[]): Sample[] {
  if (!subscriptions) return [];
  const shown = keys.slice(-MOST_KEYS);
  const total = [...subscriptions.values()].reduce((sum, count) => sum + count, 0);
  const samples = shown.map((key) => ({
    labels: { vapid_key: key.slice(0, KEY_LETTERS), current: key === shown.at(-1) ? '1' : '0' },
    value: subscriptions.get(key) ?? 0,
  }));
  const others = total - samples.reduce((sum, { value }) => sum + value, 0);
  if (others > 0) samples.push({ labels: { vapid_key: 'other', current: '0' }, value: others });
  return samples;
}
