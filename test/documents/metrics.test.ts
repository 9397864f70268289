import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { onNodes } from '../databases.ts';
import { Device } from '../devices.ts';
import { eventually } from '../eventually.ts';
import { settingsOf, startServer } from '../processes.ts';
import { startPushService } from '../push-service.ts';
import { metricsUrlOf, type Scrape, scrape } from '../scrape.ts';
import { startSmtp } from '../smtp.ts';

/** Words of PromQL that stand where the name of a metric may stand. */
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);
/** What Prometheus adds to each series. */
const ADDED_LABELS = ['instance', 'job', 'le'];

interface Expression {
  readonly place: string;
  readonly text: string;
  /** The labels that its texts use. */
  readonly shown: readonly string[];
}

const document = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The queries of the dashboard, without those of Grafana's own variables. */
function findPanels(): Expression[] {
  const { panels } = JSON.parse(document('deploy/grafana.json'));
  return panels.flatMap(({ title, targets = [] }: Panel) =>
    targets.map(({ expr, legendFormat }) => ({
      place: `panel ${title}`,
      text: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
      shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    })),
  );
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

function findAlerts(): Expression[] {
  return document('deploy/alerts.yaml')
    .split('      - alert: ')
    .slice(1)
    .map((text) => {
      const [, expression = ''] = /^ {8}expr: (?:>-\n)?([\s\S]*?)\n {8}\w+:/m.exec(text) ?? [];
      for (const field of ['summary', 'action'])
        assert.match(text, new RegExp(`^ {10}${field}: \\S`, 'm'), `${field} of ${text.split('\n', 1)[0]}`);
      return {
        place: `alert ${text.split('\n', 1)[0]}`,
        text: expression,
        shown: [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
      };
    });
}

/** The metrics and labels that an expression of PromQL names. */
function namesIn(text: string): { metrics: string[]; labels: string[] } {
  const labels: string[] = [];
  const bare = text
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\{([^}]*)\}/g, (_, selectors: string) => {
      labels.push(...[...selectors.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label));
      return '';
    })
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, names: string) => {
      labels.push(...(names.match(/\w+/g) ?? []));
      return '';
    });
  const words = [...bare.matchAll(/\b([a-z_]\w*)\b(?!\s*\()/gi)].map(([, word = '']) => word);
  return { metrics: words.filter((word) => !KEYWORDS.has(word)), labels };
}

/** What of an expression is not in the scrape. */
function missingIn({ text, shown }: Expression, { samples }: Pick<Scrape, 'samples'>): string[] {
  const { metrics, labels } = namesIn(text);
  assert.notDeepEqual(metrics, [], text);
  const own = metrics.filter((name) => name !== 'up');
  const found = samples.filter(({ name }) => own.includes(name));
  const known = new Set([...ADDED_LABELS, ...found.flatMap((sample) => Object.keys(sample.labels))]);
  return [
    ...own.filter((metric) => !found.some(({ name }) => name === metric)),
    ...[...labels, ...shown].filter((label) => !known.has(label)),
  ];
}

test('names in an expression are recognised, and those that do not exist', () => {
  const text = 'sum by (a, le) (rate(one_bucket{b=~"x(y)",c!=""}[5m])) / on (a) two > 0.5 or up == 0';
  assert.deepEqual(namesIn(text), {
    metrics: ['one_bucket', 'two', 'up'],
    labels: ['b', 'c', 'a', 'le', 'a'],
  });
  const samples = [{ name: 'one_bucket', labels: { a: '', b: '' }, value: 1 }];
  assert.deepEqual(missingIn({ place: '', text, shown: ['d'] }, { samples }), ['two', 'c', 'd']);
});

onNodes('Dashboard, alerts and table of metrics', (database) => {
  test('name what a running service has', async (t) => {
    await using pushService = await startPushService();
    await using server = await startServer(
      settingsOf(await database.create(t), {
        METRICS_PORT: '0',
        PUSH_ALLOW_PRIVATE: '1',
        SMTP_URL: (await startSmtp(t)).url,
        PUBLIC_URL: 'http://localhost',
        // A garbage collection after each MB.
        NODE_OPTIONS: '--max-semi-space-size=1',
      }),
    );
    const url = await metricsUrlOf(server);
    await work(server, pushService);
    let scraped = await scrape(url);
    await eventually(async () => {
      scraped = await scrape(url);
      const has = (metric: string) => scraped.samples.some(({ name, value }) => name === metric && value > 0);
      return (
        has('doorman_pushes_total') && has('doorman_mails_total') && has('nodejs_gc_duration_seconds_count')
      );
    });

    const expressions = [...findPanels(), ...findAlerts()];
    assert.ok(expressions.length > 50, String(expressions.length));
    const missing = expressions.flatMap((one) =>
      missingIn(one, scraped).map((name) => `${one.place}: ${name}`),
    );
    assert.deepEqual(missing, []);

    const rows = [...document('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm)].map(
      ([, name = '', type = '', labels = '']) => [name, type, (labels.match(/\w+/g) ?? []).sort().join(' ')],
    );
    assert.deepEqual(rows.sort(), tableOf(scraped).sort());
  });
});

/** A forgotten password, a message to a user who is there, and one to a user who is not but has a device for pushes. */
async function work(
  server: Awaited<ReturnType<typeof startServer>>,
  pushService: Awaited<ReturnType<typeof startPushService>>,
): Promise<void> {
  const [alice, bob] = await Promise.all(
    ['alice', 'bob'].map(
      async (username) =>
        (await server.post('/api/register', { username, password: `password-of-${username}` })).body.data,
    ),
  );
  assert.equal((await server.post('/api/password/forgot', { account: 'alice' })).status, 200);
  const { publicKey } = (await server.get('/api/push/public-key')).body;
  const body = { userId: bob.id, subscription: pushService.subscribe(publicKey) };
  assert.equal((await server.post('/api/push/subscribe', body, bob.token)).status, 200);
  const device = new Device(alice);
  await device.enter(server.url);
  for (const [from, to] of [
    [bob, alice],
    [alice, bob],
  ]) {
    const message = { to: to.id, cid: crypto.randomUUID(), body: 'a text' };
    assert.equal((await server.post('/api/messages', message, from.token)).status, 200);
  }
  await eventually(() => device.messages.length === 2);
  await device.leave();
}

/** Name, type and sorted labels of each metric. */
function tableOf({ samples, types }: Scrape): string[][] {
  return [...types].map(([name, type]) => {
    const own = samples.filter((sample) =>
      type === 'histogram' ? sample.name === `${name}_count` : sample.name === name,
    );
    assert.notEqual(own.length, 0, `no samples of ${name}`);
    const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)));
    return [name, type, [...labels].sort().join(' ')];
  });
}
