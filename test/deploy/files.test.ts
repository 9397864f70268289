import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { type Config, readConfig } from '../../src/config/config.ts';
import { settings } from '../../src/config/settings.ts';
import { addressKeyOf } from '../../src/http/client-address.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface ComposeService {
  readonly image: string;
  readonly environment?: Record<string, string>;
  readonly volumes?: string[];
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly stop_grace_period?: string;
  readonly command?: string[];
  readonly networks?: string[] | { default: { ipv4_address: string } };
}

/** A compose file, its variables replaced. */
function readCompose(path: string): {
  services: Record<string, ComposeService>;
  volumes: object;
  networks: {
    default: { ipam: { config: { subnet: string; ip_range?: string }[] } };
    inner?: { internal: boolean };
  };
} {
  const variables: Record<string, string> = {
    DOMAIN: 'chat.example.com',
    POSTGRES_PASSWORD: 'secret',
    VALKEY_PASSWORD: 'another-secret',
    SMTP_URL: 'smtps://chat:secret@mail.example.com',
    MAIL_FROM: 'Chat <chat@example.com>',
  };
  const text = read(path).replaceAll(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, name: string) => {
    assert.ok(name in variables, `${path} has a variable ${name}`);
    return variables[name] ?? '';
  });
  return parse(text, { merge: true });
}

/** What the service makes of these variables, which it must know and find valid. */
function configOf(environment: Record<string, string>): Config {
  const unknown = Object.keys(environment).filter((name) => !(name in settings));
  assert.deepEqual(unknown, []);
  const config = readConfig(environment);
  assert.deepEqual(config.warnings, []);
  return config;
}

const image = {
  ...Object.fromEntries(
    [...(/^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  ),
};

for (const [path, nodes] of [
  ['deploy/compose.yaml', ['doorman']],
  ['deploy/compose.nodes.yaml', ['node1', 'node2', 'node3']],
] as const)
  test(`${path} runs Doorman with settings that it has, behind a proxy that it trusts`, () => {
    const { services, volumes, networks } = readCompose(path);
    const doormans = Object.entries(services).filter(([, service]) => service.image === 'doorman');
    assert.deepEqual(
      doormans.map(([name]) => name),
      nodes,
    );
    assert.equal(Object.keys(volumes).length, 1);
    const ofProxy = services.caddy?.networks;
    assert.ok(ofProxy && 'default' in ofProxy);
    const proxy = ofProxy.default.ipv4_address;
    for (const [, service] of doormans) {
      const config = configOf({ ...image, ...service.environment });
      assert.deepEqual([config.host, config.port, config.dataDir], ['0.0.0.0', 3000, '/data']);
      assert.equal(config.publicUrl, 'https://chat.example.com');
      assert.deepEqual(config.smtp?.from, { name: 'Chat', address: 'chat@example.com' });
      const headers = { 'x-forwarded-for': '198.51.100.7' };
      for (const [remoteAddress, key] of [
        [proxy, '198.51.100.7'],
        ['172.30.250.9', '172.30.250.9'],
      ] as const)
        assert.equal(addressKeyOf({ headers, socket: { remoteAddress } }, config.trustProxy), key);
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ['ALL']);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true']);
      assert.ok(Number.parseInt(service.stop_grace_period ?? '', 10) > 14 + config.drainSeconds);
    }
    const [network] = networks.default.ipam.config;
    const [range = '', bits] = (network?.ip_range ?? network?.subnet ?? '').split('/');
    const others = new BlockList();
    others.addSubnet(range, Number(bits));
    assert.equal(others.check(proxy), false, 'a container that starts before the proxy may get its address');
    for (const mounted of Object.values(services).flatMap((service) => service.volumes ?? [])) {
      const [source = ''] = mounted.split(':');
      if (source.includes('Caddyfile')) assert.ok(existsSync(join(ROOT, 'deploy', source)), mounted);
    }
  });

test('in deploy/compose.nodes.yaml only the nodes reach PostgreSQL and Valkey, which ask for a password', () => {
  const { services, networks } = readCompose('deploy/compose.nodes.yaml');
  assert.equal(networks.inner?.internal, true);
  const networksOf = Object.fromEntries(
    Object.entries(services).map(([name, { networks = ['default'] }]) => [
      name,
      Array.isArray(networks) ? networks : Object.keys(networks),
    ]),
  );
  const ofNode = ['default', 'inner'];
  assert.deepEqual(networksOf, {
    node1: ofNode,
    node2: ofNode,
    node3: ofNode,
    caddy: ['default'],
    postgres: ['inner'],
    valkey: ['inner'],
  });
  const command = services.valkey?.command ?? [];
  assert.equal(command[command.indexOf('--requirepass') + 1], 'another-secret');
  assert.equal(services.postgres?.environment?.POSTGRES_PASSWORD, 'secret');
  const { DATABASE_URL = '', REDIS_URL = '' } = services.node1?.environment ?? {};
  assert.deepEqual(
    [new URL(DATABASE_URL).password, new URL(REDIS_URL).password],
    ['secret', 'another-secret'],
  );
});

test('deploy/doorman.service has settings that Doorman has, and waits for its stop', () => {
  const unit = read('deploy/doorman.service');
  const pairs = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const { NODE_COMPILE_CACHE: _, ...environment } = Object.fromEntries(pairs.map((pair) => pair.split('=')));
  const { dataDir } = configOf(environment);
  assert.equal(dataDir, `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`);
  assert.ok(Number.parseInt(/^TimeoutStopSec=(.*)$/m.exec(unit)?.[1] ?? '', 10) > 14 + 60);
  const program = /^ExecStart=\/opt\/doorman\/node_modules\/\.bin\/node (.*)$/m.exec(unit)?.[1] ?? '';
  assert.ok(existsSync(join(ROOT, program)), program);
});

test('the Dockerfile copies what exists, and the context has nothing else', () => {
  const dockerfile = read('Dockerfile');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' ').map((path) => path.replace(/\/$/, '')),
  );
  assert.ok(copied.length > 5);
  for (const path of copied) assert.ok(existsSync(join(ROOT, path)), path);
  const rules = read('.dockerignore')
    .split('\n')
    .filter((rule) => rule !== '' && !rule.startsWith('#'));
  assert.equal(rules[0], '*');
  const allowed = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
  const outside = copied.filter((path) => !allowed.some((one) => path === one || path.startsWith(`${one}/`)));
  assert.deepEqual(outside, []);
  const unused = allowed.filter((one) => !copied.some((path) => path === one || path.startsWith(`${one}/`)));
  assert.deepEqual(unused, []);
  for (const rule of ['**/node_modules', '**/dist', '**/*.test.ts', '**/*.test.tsx'])
    assert.ok(rules.lastIndexOf(rule) > rules.findLastIndex((one) => one.startsWith('!')), rule);
});

test('the image runs Node itself as an ordinary user, and is checked by the program', () => {
  const dockerfile = read('Dockerfile');
  assert.match(dockerfile, /^CMD \["node", "src\/main\.ts"\]$/m);
  assert.match(dockerfile, /^HEALTHCHECK .* CMD \["doorman", "health"\]$/m);
  assert.match(dockerfile, /^USER 10001:10001$/m);
  assert.match(dockerfile, /^ARG BASE=debian:bookworm-slim$/m);
});
