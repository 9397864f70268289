import { Durations } from '../collections/durations.ts';
import type { LogEventName } from '../events/log-events.ts';
import type { ServerHooks } from '../http/server.ts';
import { MOST_WAITING } from '../mail/mail-jobs.ts';
import type { MailServices } from '../mail/mail-services.ts';
import type { PushServices } from '../push/push-services.ts';
import { REPORT_REASONS } from '../reports/schemas.ts';
import type { Services } from '../services.ts';
import { refusalsByLimit } from './refusal-counts.ts';
import type { Sample, ScrapedMetrics } from './scraped-metrics.ts';
import { COUNT_MS, MOST_COUNTED, READ_MS, type StoredFigures } from './stored-figures.ts';

/** How many VAPID keys have a series of their own: the newest. */
const MOST_KEYS = 10;
/** So much of a public key tells one from the other. */
const KEY_LETTERS = 12;

const ON_EACH_NODE = 'Of the whole database: each node reports the same number';
const COUNTED = `Counted in the background from ${COUNT_MS / 1000} s to some minutes ago, longer ago the more rows there are`;
const READ = `Read up to ${READ_MS / 1000} s ago; missing while the database is away`;

/** Metrics of sockets, events, pushes, mails, passwords and limits. */
export function defineServiceMetrics(
  metrics: ScrapedMetrics,
  services: Services,
  countSockets: ServerHooks['countSockets'],
  stored: StoredFigures,
): void {
  const { accounts, events, inbox, limits, push } = services;
  metrics.gauge(
    'doorman_sockets',
    'Open sockets, also those that have not said hello.',
    () => countSockets().open,
  );
  metrics.counter(
    'doorman_sockets_opened_total',
    'Requests that became a socket.',
    () => countSockets().opened,
  );
  metrics.gauge(
    'doorman_socket_devices',
    'Sockets that get events: they have said hello.',
    () => inbox.delivery.deviceCount,
  );
  metrics.gauge(
    'doorman_socket_users',
    'Users who have such a socket on this node.',
    () => inbox.delivery.userCount,
  );
  defineEventMetrics(metrics, services);
  definePushMetrics(metrics, push, stored);
  if (accounts.mail) defineMailMetrics(metrics, accounts.mail);
  defineReportMetrics(metrics, stored);
  metrics.gauge(
    'doorman_deletions_waiting',
    `Accounts whose users have asked for their deletion and can still undo it, at most ${MOST_COUNTED}. ${ON_EACH_NODE}. ${READ}.`,
    () => stored.waiting?.deletions ?? null,
  );
  let erased = 0;
  events.subscribe(({ type }) => {
    if (type === 'user-erased') erased++;
  });
  metrics.counter(
    'doorman_erasures_total',
    'Accounts that this process erased, without those that commands erased.',
    () => erased,
  );
  const { queue } = accounts.passwords;
  metrics.gauge(
    'doorman_hash_queue',
    'Password hashes: those that are computed now, and those that wait for it.',
    () => ({ running: queue.running, waiting: queue.waiting }),
    'state',
  );
  metrics.gauge(
    'doorman_hash_queue_limit',
    'How many may be computed at once, and how many may wait; beyond that logins are refused (429).',
    () => ({ running: queue.concurrency, waiting: queue.limit }),
    'state',
  );
  metrics.gauge(
    'doorman_weak_hashes',
    `Users whose next login replaces their password hash by a stronger one. ${ON_EACH_NODE}. ${COUNTED}.`,
    () => stored.weakHashes,
  );
  metrics.counter(
    'doorman_refusals_total',
    'Requests and frames that a limit refused: api, auth and account of the settings, else its error word.',
    () => refusalsByLimit(limits.securityLog.refusals),
    'limit',
  );
}

function defineEventMetrics(metrics: ScrapedMetrics, { clock, events, inbox }: Services): void {
  const appended = new Map<LogEventName, number>();
  const delivered = { live: 0, missed: 0 };
  const lag = new Durations([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]);
  events.subscribe((event, origin) => {
    if (event.type !== 'inbox' || origin === 'other') return;
    const { event: name } = event.event;
    appended.set(name, (appended.get(name) ?? 0) + 1);
  });
  inbox.delivery.onWritten(({ at }, isLive) => {
    delivered[isLive ? 'live' : 'missed']++;
    if (isLive) lag.add('', Math.max(0, clock.now() - at) / 1000);
  });
  metrics.counter(
    'doorman_events_appended_total',
    'Events that this process stored in logs of users, by name; a message is two.',
    () => Object.fromEntries(appended),
    'event',
  );
  metrics.counter(
    'doorman_events_delivered_total',
    'Events written to sockets: live ones as they happened, missed ones when a device came back.',
    () => delivered,
    'kind',
  );
  metrics.histogram(
    'doorman_delivery_lag_seconds',
    'From the time of an event, taken before its commit, until it was written to a socket that was live.',
    lag,
  );
}

function definePushMetrics(
  metrics: ScrapedMetrics,
  { figures, vapidKeys }: PushServices,
  stored: StoredFigures,
): void {
  if (figures) {
    metrics.counter(
      'doorman_pushes_total',
      'Requests to push services, by known service and what they answered, or why none was sent.',
      () => [...figures.answers].map((entry) => toSample('service', entry)),
    );
    metrics.histogram(
      'doorman_push_duration_seconds',
      'How long requests to push services took, by known service.',
      figures.durations,
      ['service'],
    );
  }
  metrics.gauge(
    'doorman_push_backlog',
    `Pushes that are due, to be decided or sent, at most ${MOST_COUNTED}. ${ON_EACH_NODE}. ${READ}.`,
    () => stored.backlog && { decide: stored.backlog.decide.count, send: stored.backlog.send.count },
    'stage',
  );
  metrics.gauge(
    'doorman_push_backlog_age_seconds',
    `For how long the oldest of them has been due. ${ON_EACH_NODE}. ${READ}.`,
    () => {
      if (!stored.backlog) return null;
      const { decide, send, at } = stored.backlog;
      const ageOf = ({ oldestAt }: { oldestAt: number | null }) => Math.max(0, at - (oldestAt ?? at)) / 1000;
      return { decide: ageOf(decide), send: ageOf(send) };
    },
    'stage',
  );
  metrics.gauge(
    'doorman_push_subscriptions',
    `Push subscriptions by the first letters of the VAPID key they were made with. ${ON_EACH_NODE}. ${COUNTED}.`,
    () => subscriptionsOf(stored, vapidKeys.publicKeys),
  );
}

function defineMailMetrics(metrics: ScrapedMetrics, mail: MailServices): void {
  metrics.counter('doorman_mails_total', 'Attempts to send a mail, by what became of them.', () =>
    [...mail.outcomes].map((entry) => toSample('kind', entry)),
  );
  metrics.gauge(
    'doorman_mail_backlog',
    `Mails that wait or are being sent, at most ${MOST_WAITING}. ${ON_EACH_NODE}. Up to 15 s old.`,
    () => mail.waiting,
  );
}

function defineReportMetrics(metrics: ScrapedMetrics, stored: StoredFigures): void {
  metrics.gauge(
    'doorman_reports_open',
    `Reports of users that the operator has not decided on, at most ${MOST_COUNTED}. ${ON_EACH_NODE}. ${READ}.`,
    () => stored.waiting?.reports ?? null,
  );
  metrics.counter(
    'doorman_reports_total',
    `Reports by reason: filed ones, and what became of them. ${ON_EACH_NODE}. ${COUNTED}.`,
    () => stored.reports && countActs(stored.reports),
  );
  metrics.gauge(
    'doorman_message_requests_waiting',
    `Conversations that wait for an answer as message requests, at most ${MOST_COUNTED}. ${ON_EACH_NODE}. ${READ}.`,
    () => stored.waiting?.messageRequests ?? null,
  );
}

/** A report counts as `filed`, and once more when it has ended: so no count ever falls. */
function countActs(reports: ReadonlyMap<string, number>): Sample[] {
  const filed = new Map<string, number>(REPORT_REASONS.map((reason) => [reason, 0]));
  const ended: Sample[] = [];
  for (const [kind, value] of reports) {
    const [reason = '', act = ''] = kind.split(' ');
    filed.set(reason, (filed.get(reason) ?? 0) + value);
    if (act !== 'open') ended.push({ labels: { reason, act }, value });
  }
  return [...[...filed].map(([reason, value]) => ({ labels: { reason, act: 'filed' }, value })), ...ended];
}

/** @param label of the first word of the key; the second one is the outcome */
function toSample(label: string, [key, value]: [key: string, value: number]): Sample {
  const [first = '', outcome = ''] = key.split(' ');
  return { labels: { [label]: first, outcome }, value };
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
