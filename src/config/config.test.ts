import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addressKeyOf } from '../http/client-address.ts';
import { ConfigError, readConfig } from './config.ts';
import { type Setting, settings } from './settings.ts';

/** All settings, each with this text. */
const allWith = (text: string) => Object.fromEntries(Object.keys(settings).map((name) => [name, text]));
const defaults = Object.fromEntries(
  Object.entries<Setting<unknown>>(settings).map(([name, setting]) => [name, setting.default ?? '']),
);

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

function assertWrong(name: string, texts: string[], fault: string): void {
  for (const text of texts) assert.deepEqual(faultsOf({ [name]: text }), [fault], `${name}=${text}`);
}

test('without settings, everything has its default', () => {
  assert.deepEqual(readConfig({}), {
    port: 3000,
    host: '127.0.0.1',
    dataDir: './data',
    databaseUrl: null,
    redisUrl: null,
    drainSeconds: 0,
    publicUrl: 'http://localhost:3000',
    hasPublicUrl: false,
    origins: [],
    trustProxy: [],
    registration: 'open',
    rateLimits: {
      api: { limit: 60, windowMs: 60_000 },
      auth: { limit: 20, windowMs: 900_000 },
      messages: { limit: 30, windowMs: 10_000 },
      pictures: { limit: 60, windowMs: 3_600_000 },
      search: { limit: 20, windowMs: 60_000 },
      pictureReads: { limit: 600, windowMs: 60_000 },
      keys: { limit: 6_000, windowMs: 60_000 },
    },
    hasPictures: true,
    bcryptCost: 10,
    passwordList: 'warn',
    tokenTtlSeconds: 604_800,
    deletionGraceSeconds: 2_592_000,
    vapidSubject: 'mailto:operator@example.com',
    vapidSubjectIsPlaceholder: true,
    pushAllowPrivate: false,
    pushPorts: [443],
    smtp: null,
    tryingLocally: true,
    logLevel: 'info',
    logRequests: false,
    metrics: null,
    pageFolder: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    warnings: [],
  });
});

test('every setting is read', () => {
  const { trustProxy, ...config } = readConfig({
    PORT: '0',
    HOST: '::',
    DATA_DIR: '/var/lib/doorman data',
    DATABASE_URL: 'postgres://doorman:s3cret@db.example.com/doorman',
    REDIS_URL: 'rediss://:s3cret@redis.example.com/1',
    DRAIN_SECONDS: '12',
    PUBLIC_URL: 'https://Chat.Example.com:443/',
    ORIGINS: 'https://app.example.com, http://localhost:5173,https://APP.example.com',
    TRUST_PROXY: '10.0.0.0/8, loopback',
    REGISTRATION: 'invite',
    RATE_LIMIT_API: '100/10s',
    RATE_LIMIT_AUTH: 'off',
    RATE_LIMIT_MESSAGES: '500/2h',
    RATE_LIMIT_PICTURES: '7/1h',
    RATE_LIMIT_SEARCH: 'off',
    RATE_LIMIT_PICTURE_READS: '8/1s',
    RATE_LIMIT_KEYS: '9/1s',
    PICTURES: 'off',
    BCRYPT_COST: '4',
    PASSWORD_LIST: 'refuse',
    TOKEN_TTL: '12h',
    DELETION_GRACE: '0',
    VAPID_SUBJECT: 'mailto:ops@example.com',
    PUSH_ALLOW_PRIVATE: '1',
    PUSH_PORTS: '443, 8443,443',
    SMTP_URL: 'smtps://chat:s3cret@mail.example.com:465',
    MAIL_FROM: 'Example Chat <chat@example.com>',
    LOG_LEVEL: 'debug',
    LOG_REQUESTS: '1',
    METRICS_PORT: '9464',
    METRICS_HOST: '10.0.0.1',
    HOME: '/root',
  });
  assert.deepEqual(config, {
    port: 0,
    host: '::',
    dataDir: '/var/lib/doorman data',
    databaseUrl: 'postgres://doorman:s3cret@db.example.com/doorman',
    redisUrl: 'rediss://:s3cret@redis.example.com/1',
    drainSeconds: 12,
    publicUrl: 'https://chat.example.com',
    hasPublicUrl: true,
    origins: ['https://app.example.com', 'http://localhost:5173'],
    registration: 'invite',
    rateLimits: {
      api: { limit: 100, windowMs: 10_000 },
      auth: null,
      messages: { limit: 500, windowMs: 7_200_000 },
      pictures: { limit: 7, windowMs: 3_600_000 },
      search: null,
      pictureReads: { limit: 8, windowMs: 1_000 },
      keys: { limit: 9, windowMs: 1_000 },
    },
    hasPictures: false,
    bcryptCost: 4,
    passwordList: 'refuse',
    tokenTtlSeconds: 43_200,
    deletionGraceSeconds: 0,
    vapidSubject: 'mailto:ops@example.com',
    vapidSubjectIsPlaceholder: false,
    pushAllowPrivate: true,
    pushPorts: [443, 8443],
    smtp: {
      url: 'smtps://chat:s3cret@mail.example.com:465',
      from: { name: 'Example Chat', address: 'chat@example.com' },
    },
    tryingLocally: false,
    logLevel: 'debug',
    logRequests: true,
    metrics: { host: '10.0.0.1', port: 9464 },
    pageFolder: readConfig({}).pageFolder,
    warnings: [],
  });
  const request = {
    headers: { 'x-forwarded-for': '198.51.100.1' },
    socket: { remoteAddress: '10.0.0.1' },
  };
  assert.equal(addressKeyOf(request, trustProxy), '198.51.100.1');
});

test('an empty setting counts as unset', () => {
  assert.deepEqual(readConfig(allWith('')), readConfig({}));
});

test('the list of settings names each one with its default, which can be read', () => {
  assert.deepEqual(
    Object.entries(defaults).map(([name, text]) => `${name}=${text}`),
    [
      'PORT=3000',
      'HOST=127.0.0.1',
      'DATA_DIR=./data',
      'DATABASE_URL=',
      'REDIS_URL=',
      'DRAIN_SECONDS=',
      'PUBLIC_URL=',
      'ORIGINS=',
      'TRUST_PROXY=',
      'REGISTRATION=open',
      'RATE_LIMIT_API=60/1m',
      'RATE_LIMIT_AUTH=20/15m',
      'RATE_LIMIT_MESSAGES=30/10s',
      'RATE_LIMIT_PICTURES=60/1h',
      'RATE_LIMIT_SEARCH=20/1m',
      'RATE_LIMIT_PICTURE_READS=600/1m',
      'RATE_LIMIT_KEYS=6000/1m',
      'PICTURES=on',
      'BCRYPT_COST=10',
      'PASSWORD_LIST=warn',
      'TOKEN_TTL=7d',
      'DELETION_GRACE=30d',
      'VAPID_SUBJECT=',
      'PUSH_ALLOW_PRIVATE=0',
      'PUSH_PORTS=443',
      'SMTP_URL=',
      'MAIL_FROM=',
      'METRICS_PORT=',
      'METRICS_HOST=127.0.0.1',
      'LOG_LEVEL=info',
      'LOG_REQUESTS=0',
    ],
  );
  assert.deepEqual(faultsOf(defaults), []);
});

test('all invalid settings are reported together, one line each, without their values', () => {
  const secret = 'hunter2-sesame';
  const faults = faultsOf({ ...allWith(` ${secret}:// ,/`), DOORMAN_SECRET: secret });
  const wrong = Object.keys(settings).filter((name) => name !== 'DATA_DIR');
  assert.deepEqual(faults.map((fault) => fault.split(' ')[0]).sort(), ['DOORMAN_SECRET', ...wrong].sort());
  for (const fault of faults) assert.ok(!fault.includes(secret) && !fault.includes('\n'), fault);
  const message = new ConfigError(faults).message;
  assert.equal(message.split('\n').length, faults.length);
});

test('what Kubernetes sets beside a service called doorman is neither a mistake nor a warning', () => {
  const names = [
    'DOORMAN_SERVICE_HOST',
    'DOORMAN_SERVICE_PORT',
    'DOORMAN_SERVICE_PORT_HTTP',
    'DOORMAN_PORT',
    'DOORMAN_PORT_3000_TCP',
    'DOORMAN_PORT_3000_TCP_PROTO',
    'DOORMAN_PORT_3000_TCP_PORT',
    'DOORMAN_PORT_3000_TCP_ADDR',
  ];
  const env = Object.fromEntries(names.map((name) => [name, 'tcp://10.0.0.7:3000']));
  assert.deepEqual(readConfig(env), readConfig({}));
  assert.deepEqual(faultsOf({ DOORMAN_PORTS: '1' }), ['DOORMAN_PORTS is not a setting']);
});

test('a name that is nearly the one of a setting is a warning, without its value', () => {
  for (const [name, meant] of [
    ['RATE_LIMIT_APl', 'RATE_LIMIT_API'],
    ['RATE_LIMITS_API', 'RATE_LIMIT_API'],
    ['BCRYPT_COTS', 'BCRYPT_COST'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['ORIGIN', 'ORIGINS'],
    ['TOKENTTL', 'TOKEN_TTL'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['port', 'PORT'],
  ] as const)
    assert.deepEqual(readConfig({ [name]: 'geheim' }).warnings, [
      `${name} is not a setting; did you mean ${meant}?`,
    ]);
  assert.deepEqual(readConfig({ RATE_LIMIT_APl: '', RATE_LIMIT_API: 'off' }).warnings, []);
});

test('the names of an ordinary environment are no warnings', () => {
  const ordinary = `HOME HOSTNAME HOSTTYPE PATH PWD OLDPWD POST PORTS USER LOGNAME SHELL SHLVL LANG LANGUAGE LC_ALL LC_CTYPE TERM
    TERM_PROGRAM COLORTERM DISPLAY WAYLAND_DISPLAY EDITOR VISUAL PAGER LESS LESSOPEN LS_COLORS MAIL MANPATH TMPDIR TEMP TMP TZ
    XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_ID XDG_SESSION_TYPE XDG_SEAT
    DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_AGENT_PID SSH_CLIENT SSH_CONNECTION SSH_TTY SUDO_USER SUDO_COMMAND GPG_TTY
    INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET MAINPID LISTEN_PID LISTEN_FDS LISTEN_FDNAMES STATE_DIRECTORY CACHE_DIRECTORY
    CREDENTIALS_DIRECTORY SYSTEMD_EXEC_PID MEMORY_PRESSURE_WATCH KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
    KUBERNETES_PORT KUBERNETES_PORT_443_TCP REDIS_SERVICE_HOST REDIS_PORT REDIS_HOST POSTGRES_USER POSTGRES_PASSWORD
    POSTGRES_DB PGHOST PGPORT PGUSER PGDATA PGDATABASE PGPASSWORD HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy
    https_proxy no_proxy NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS YARN_VERSION UV_THREADPOOL_SIZE
    npm_command npm_config_cache npm_config_prefix npm_execpath npm_lifecycle_event npm_lifecycle_script npm_node_execpath
    npm_package_json npm_package_name npm_package_version INIT_CWD CI DEBUG VIRTUAL_ENV CONDA_PREFIX JAVA_HOME GOPATH GOROOT
    CARGO_HOME DOCKER_HOST DYNO WEB_CONCURRENCY MEMORY_AVAILABLE RENDER FLY_REGION FLY_APP_NAME APPDATA LOCALAPPDATA
    PROGRAMDATA PROGRAMFILES SYSTEMROOT SYSTEMDRIVE USERNAME USERPROFILE COMPUTERNAME COMSPEC PATHEXT WINDIR OS
    LOG_FORMAT LOG_FILE LOG_DIR DATA_PATH BASE_URL API_URL SITE_URL SECRET_KEY JWT_SECRET TOKEN SMTP_HOST SMTP_PORT`;
  const env = Object.fromEntries(ordinary.split(/\s+/).map((name) => [name, 'x']));
  assert.deepEqual(readConfig(env).warnings, []);
});

test('a service that others reach without PUBLIC_URL is a warning, with what to set', () => {
  const warnings = (env: Record<string, string>) => readConfig(env).warnings;
  const reaches: [Record<string, string>, string][] = [
    [{ HOST: '0.0.0.0' }, 'HOST lets other machines connect, but PUBLIC_URL is not set: '],
    [
      { HOST: '::', TRUST_PROXY: '10.0.0.1' },
      'HOST lets other machines connect, but PUBLIC_URL is not set: ',
    ],
    [{ HOST: 'chat.internal' }, 'HOST lets other machines connect, but PUBLIC_URL is not set: '],
    [{ TRUST_PROXY: 'loopback' }, 'TRUST_PROXY names a proxy, but PUBLIC_URL is not set: '],
  ];
  for (const [env, start] of reaches) {
    const [warning = '', ...others] = warnings(env);
    assert.ok(warning.startsWith(start), warning);
    assert.match(
      warning,
      /set PUBLIC_URL to the address at which browsers open the page, such as https:\/\//,
    );
    assert.deepEqual(others, []);
    assert.deepEqual(warnings({ ...env, PUBLIC_URL: 'https://chat.example.com' }), []);
    assert.deepEqual(warnings({ ...env, PUBLIC_URL: 'http://localhost:8080' }), []);
  }
  for (const HOST of ['127.0.0.1', '::1', 'localhost']) assert.deepEqual(warnings({ HOST }), []);
});

test('a PUBLIC_URL of http beyond this machine is a warning, and so is LOG_REQUESTS at a LOG_LEVEL that hides it', () => {
  const [warning = '', ...others] = readConfig({
    HOST: '::',
    PUBLIC_URL: 'http://chat.example.com',
  }).warnings;
  assert.match(warning, /^PUBLIC_URL is http: browsers have no notifications there/);
  assert.deepEqual(others, []);
  const hidden = (LOG_LEVEL: string) => readConfig({ LOG_LEVEL, LOG_REQUESTS: '1' }).warnings;
  assert.deepEqual(['trace', 'debug', 'info'].flatMap(hidden), []);
  assert.deepEqual(
    ['warn', 'error', 'fatal', 'silent'].map((level) => hidden(level).length),
    [1, 1, 1, 1],
  );
  assert.deepEqual(readConfig({ LOG_LEVEL: 'warn' }).warnings, []);
});

test('a name that begins with DOORMAN_ is a mistake', () => {
  assert.deepEqual(faultsOf({ DOORMAN_HOST: '::', DOORMAN_COLOUR: '' }), [
    'DOORMAN_HOST is not a setting; HOST is',
    'DOORMAN_COLOUR is not a setting',
  ]);
});

test('PORT and BCRYPT_COST are whole numbers within their bounds', () => {
  assert.equal(readConfig({ PORT: '65535' }).port, 65_535);
  assertWrong(
    'PORT',
    ['65536', '-1', '3e3', '03', '80.5', ' 80', '0x50'],
    'PORT must be a whole number from 0 to 65535',
  );
  assert.equal(readConfig({ BCRYPT_COST: '15' }).bcryptCost, 15);
  assertWrong('BCRYPT_COST', ['3', '16', 'ten'], 'BCRYPT_COST must be a whole number from 4 to 15');
});

test('HOST is an address or a name', () => {
  for (const host of ['0.0.0.0', '::1', 'localhost', 'chat-1.example.com', 'fe80::1%eth0'])
    assert.equal(readConfig({ HOST: host }).host, host);
  assertWrong(
    'HOST',
    ['[::1]', 'localhost:80', '1.2.3', '1.2.3.256', 'a_b', '-a', 'a..b', 'http://a', `${'a'.repeat(64)}.com`],
    'HOST must be an IP address without brackets, or a host name',
  );
});

test('DATABASE_URL is a PostgreSQL address', () => {
  for (const url of ['postgresql://localhost/doorman', 'postgres://u:p%40w@a:1,b:2/d?sslmode=require'])
    assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url);
  assertWrong(
    'DATABASE_URL',
    ['mysql://a/b', 'postgres://', 'localhost/doorman', 'postgres:/a', 'postgres://a/b c'],
    'DATABASE_URL must begin with postgres:// or postgresql:// and name a database',
  );
});

test('REDIS_URL names a host, and needs PostgreSQL', () => {
  const DATABASE_URL = 'postgres://a/b';
  for (const url of ['redis://localhost', 'rediss://user:pass@[::1]:6380/3', 'redis://:p%40ss@redis/'])
    assert.equal(readConfig({ DATABASE_URL, REDIS_URL: url }).redisUrl, url);
  assert.equal(readConfig({ DATABASE_URL }).redisUrl, null);
  assertWrong(
    'REDIS_URL',
    ['redis://', 'localhost:6379', 'http://localhost', 'redis://a b', 'redis://a/name'],
    'REDIS_URL must be a redis:// or rediss:// URL with a host, such as redis://:password@redis.internal:6379/0',
  );
  assert.deepEqual(faultsOf({ REDIS_URL: 'redis://localhost' }), [
    'REDIS_URL needs DATABASE_URL: only on PostgreSQL can several servers be one service',
  ]);
});

test('a stopping node serves on for 5 s unless DRAIN_SECONDS says otherwise, one server not at all', () => {
  const node = { DATABASE_URL: 'postgres://a/b', REDIS_URL: 'redis://localhost' };
  const drains = [{}, node, { ...node, DRAIN_SECONDS: '0' }, { DRAIN_SECONDS: '60' }];
  assert.deepEqual(
    drains.map((env) => readConfig(env).drainSeconds),
    [0, 5, 0, 60],
  );
  assertWrong('DRAIN_SECONDS', ['61', '-1', '5s'], 'DRAIN_SECONDS must be a whole number from 0 to 60');
});

test('METRICS_PORT turns the metrics on, apart from PORT', () => {
  assert.deepEqual(readConfig({ METRICS_PORT: '9464' }).metrics, { host: '127.0.0.1', port: 9_464 });
  assert.deepEqual(readConfig({ METRICS_PORT: '0', PORT: '0', METRICS_HOST: '::' }).metrics, {
    host: '::',
    port: 0,
  });
  assert.equal(readConfig({ METRICS_HOST: '::' }).metrics, null);
  assertWrong('METRICS_PORT', ['65536', '-1', 'off'], 'METRICS_PORT must be a whole number from 0 to 65535');
  assert.deepEqual(faultsOf({ METRICS_PORT: '3000' }), [
    'METRICS_PORT must differ from PORT: /metrics is served on a port of its own',
  ]);
});

test('SMTP_URL names a mail server, and needs PUBLIC_URL', () => {
  const env = { PUBLIC_URL: 'https://chat.example.com:8443' };
  assert.equal(readConfig(env).smtp, null);
  for (const url of [
    'smtp://localhost',
    'smtp://localhost:1025/',
    'smtp://mail.example.com?requireTLS=true',
    'smtp://relay.internal?ignoreTLS=true',
    'smtps://us%40x.org:p%3a%2fss@[::1]:465',
  ])
    assert.deepEqual(readConfig({ ...env, SMTP_URL: url }).smtp, {
      url,
      from: { name: '', address: 'no-reply@chat.example.com' },
    });
  assertWrong(
    'SMTP_URL',
    [
      'smtp://',
      'mail.example.com:587',
      'https://mail.example.com',
      'smtp://a b',
      'smtp://u:pa/ss@mail.example.com',
      'smtp://u:pa#ss@mail.example.com',
      'smtp://u:100%@mail.example.com',
      'smtp://mail.example.com/path',
      'smtp://mail.example.com?logger=true',
      'smtp://mail.example.com?requireTLS=true&debug=true',
    ],
    'SMTP_URL must be an smtp:// or smtps:// URL with a host, such as smtps://user:password@mail.example.com; ?requireTLS=true and ?ignoreTLS=true may follow',
  );
  assert.deepEqual(faultsOf({ SMTP_URL: 'smtp://localhost' }), [
    'SMTP_URL needs PUBLIC_URL: the links in mails lead there',
  ]);
});

test('a password of SMTP_URL that may go without TLS is a warning', () => {
  const warnings = (SMTP_URL: string) =>
    readConfig({ PUBLIC_URL: 'https://chat.example.com', SMTP_URL }).warnings;
  for (const url of ['smtp://u:geheim@mail.example.com', 'smtp://u:geheim@mail.example.com?ignoreTLS=true'])
    assert.deepEqual(warnings(url), [
      'SMTP_URL has a password, which is sent without TLS to a server that offers none: add ?requireTLS=true, or use smtps://',
    ]);
  for (const url of [
    'smtp://u:geheim@mail.example.com?requireTLS=true',
    'smtps://u:geheim@mail.example.com',
    'smtp://u:geheim@127.0.0.1',
    'smtp://mail.example.com',
  ])
    assert.deepEqual(warnings(url), []);
});

test('MAIL_FROM is an address, with or without a name', () => {
  const from = (MAIL_FROM: string) =>
    readConfig({ PUBLIC_URL: 'https://chat.example.com', SMTP_URL: 'smtp://localhost', MAIL_FROM }).smtp
      ?.from;
  assert.deepEqual(from('chat@example.com'), { name: '', address: 'chat@example.com' });
  assert.deepEqual(from('Example Chat <chat@example.com>'), {
    name: 'Example Chat',
    address: 'chat@example.com',
  });
  assert.deepEqual(from('"聊天, Ltd." <chat@example.com>'), {
    name: '聊天, Ltd.',
    address: 'chat@example.com',
  });
  assert.deepEqual(from('<chat@example.com>'), { name: '', address: 'chat@example.com' });
  assertWrong(
    'MAIL_FROM',
    [
      'chat',
      'a@x, b@y',
      'a@x,b@y',
      'Chat <a@x, b@y>',
      'Chat <a@x> b@y',
      'a@x\r\nBcc: b@y',
      'A\r\nB <a@x>',
      '<<a@x>>',
    ],
    'MAIL_FROM must be an address such as chat@example.com, or a name and an address such as Chat <chat@example.com>',
  );
});

test('PUBLIC_URL and ORIGINS are origins, as browsers send them', () => {
  assert.equal(readConfig({ PORT: '80' }).publicUrl, 'http://localhost');
  assert.equal(readConfig({ PORT: '8080' }).publicUrl, 'http://localhost:8080');
  assert.equal(readConfig({ PUBLIC_URL: 'http://[0:0::1]:80' }).publicUrl, 'http://[::1]');
  assert.deepEqual(readConfig({ ORIGINS: 'HTTPS://bücher.example:443/' }).origins, [
    'https://xn--bcher-kva.example',
  ]);
  const wrong = [
    'example.com',
    'ftp://example.com',
    'https://example.com/chat',
    'https://example.com/?a',
    'https://example.com/#',
    'https://u:p@example.com',
    'https://',
    'https:example.com',
    'https://*.example.com',
    ' https://example.com x',
    'null',
  ];
  assertWrong(
    'PUBLIC_URL',
    wrong,
    'PUBLIC_URL must be an http:// or https:// origin without path, such as https://chat.example.com',
  );
  assertWrong(
    'ORIGINS',
    [...wrong, '*', 'https://a.example,', ','],
    'ORIGINS must be http:// or https:// origins without path, separated by commas',
  );
});

test('TRUST_PROXY is networks, but never all addresses', () => {
  assertWrong(
    'TRUST_PROXY',
    ['0.0.0.0/0', '::/0', 'localhost', '10.0.0.0/33', '10.0.0.1;10.0.0.2'],
    'TRUST_PROXY must be addresses, networks such as 10.0.0.0/8 (never /0), or the word loopback, separated by commas',
  );
});

test('limits are calls and a time, or off', () => {
  const limit = (text: string) => readConfig({ RATE_LIMIT_API: text }).rateLimits.api;
  assert.deepEqual(limit('1/1s'), { limit: 1, windowMs: 1_000 });
  assert.deepEqual(limit('100000/24h'), { limit: 100_000, windowMs: 86_400_000 });
  assert.equal(limit('off'), null);
  const wrong = [
    '60',
    '60/m',
    '0/1m',
    '60/0m',
    '100001/1m',
    '1/25h',
    '1/1d',
    '60/1m/1',
    '60 / 1m',
    '-1/1m',
    '1.5/1m',
    'OFF',
    '60/1M',
  ];
  const ends = '1 to 100000 calls, units s, m and h, up to 24h';
  assertWrong(
    'RATE_LIMIT_API',
    wrong,
    `RATE_LIMIT_API must be off, or calls and a time such as 60/1m: ${ends}`,
  );
  assertWrong(
    'RATE_LIMIT_AUTH',
    wrong,
    `RATE_LIMIT_AUTH must be off, or calls and a time such as 20/15m: ${ends}`,
  );
  assertWrong(
    'RATE_LIMIT_MESSAGES',
    wrong,
    `RATE_LIMIT_MESSAGES must be off, or messages and a time such as 30/10s: ${ends.replace('calls', 'messages')}`,
  );
  assertWrong(
    'RATE_LIMIT_PICTURES',
    wrong,
    `RATE_LIMIT_PICTURES must be off, or uploads and a time such as 60/1h: ${ends.replace('calls', 'uploads')}`,
  );
  assertWrong(
    'RATE_LIMIT_PICTURE_READS',
    wrong,
    `RATE_LIMIT_PICTURE_READS must be off, or reads and a time such as 600/1m: ${ends.replace('calls', 'reads')}`,
  );
  assertWrong(
    'RATE_LIMIT_SEARCH',
    wrong,
    `RATE_LIMIT_SEARCH must be off, or searches and a time such as 20/1m: ${ends.replace('calls', 'searches')}`,
  );
  assertWrong(
    'RATE_LIMIT_KEYS',
    wrong,
    `RATE_LIMIT_KEYS must be off, or calls and a time such as 6000/1m: ${ends}`,
  );
});

test('TOKEN_TTL is a time from a minute to 180 days', () => {
  const ttl = (text: string) => readConfig({ TOKEN_TTL: text }).tokenTtlSeconds;
  assert.deepEqual(['60s', '30m', '12h', '7d', '180d'].map(ttl), [60, 1_800, 43_200, 604_800, 15_552_000]);
  assertWrong(
    'TOKEN_TTL',
    ['45s', '181d', '7', '7 d', '1w', '0d', '1.5h', '-1d', '07d'],
    'TOKEN_TTL must be a time such as 7d, 12h, 30m or 90s, from 60s to 180d',
  );
});

test('DELETION_GRACE is 0, or a time of up to 90 days', () => {
  const grace = (text: string) => readConfig({ DELETION_GRACE: text }).deletionGraceSeconds;
  assert.deepEqual(['0', '1s', '12h', '90d'].map(grace), [0, 1, 43_200, 7_776_000]);
  assertWrong(
    'DELETION_GRACE',
    ['91d', '30', '-1d', '0d', '00', 'off', '1.5d', ' 0'],
    'DELETION_GRACE must be 0, or a time such as 30d, 12h, 30m or 90s, up to 90d',
  );
});

test('PASSWORD_LIST is warn, refuse or off', () => {
  for (const list of ['warn', 'refuse', 'off'])
    assert.equal(readConfig({ PASSWORD_LIST: list }).passwordList, list);
  assertWrong(
    'PASSWORD_LIST',
    ['Warn', 'on', '1', 'refuse,warn'],
    'PASSWORD_LIST must be warn, refuse or off',
  );
});

test('VAPID_SUBJECT is a contact; without it an https PUBLIC_URL is one', () => {
  const subject = (env: Record<string, string>) => {
    const { vapidSubject, vapidSubjectIsPlaceholder } = readConfig(env);
    return [vapidSubject, vapidSubjectIsPlaceholder];
  };
  assert.deepEqual(subject({ PUBLIC_URL: 'https://chat.example.com' }), ['https://chat.example.com', false]);
  assert.deepEqual(subject({ PUBLIC_URL: 'http://chat.example.com' }), ['mailto:operator@example.com', true]);
  assert.deepEqual(subject({ VAPID_SUBJECT: 'https://example.com/contact' }), [
    'https://example.com/contact',
    false,
  ]);
  assertWrong(
    'VAPID_SUBJECT',
    [
      'ops@example.com',
      'mailto:ops',
      'mailto:a@b@c',
      'http://example.com',
      'https://',
      'https://u:p@example.com',
      'tel:1',
    ],
    'VAPID_SUBJECT must be a mailto: address or an https: URL',
  );
});

test('PUSH_ALLOW_PRIVATE and LOG_REQUESTS are 1 or 0, LOG_LEVEL one of seven words', () => {
  assert.equal(readConfig({ PUSH_ALLOW_PRIVATE: '0' }).pushAllowPrivate, false);
  assertWrong('LOG_REQUESTS', ['true', 'yes', '2'], 'LOG_REQUESTS must be 1 or 0');
  assertWrong('PUSH_ALLOW_PRIVATE', ['true', 'yes', '2'], 'PUSH_ALLOW_PRIVATE must be 1 or 0');
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
  for (const level of levels) assert.equal(readConfig({ LOG_LEVEL: level }).logLevel, level);
  assertWrong(
    'LOG_LEVEL',
    ['INFO', 'verbose'],
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal and silent',
  );
});

test('PUSH_PORTS are ports, separated by commas', () => {
  assert.deepEqual(readConfig({ PUSH_PORTS: '8443' }).pushPorts, [8443]);
  assert.deepEqual(readConfig({ PUSH_PORTS: '65535,1' }).pushPorts, [65_535, 1]);
  assertWrong(
    'PUSH_PORTS',
    ['0', '65536', '443,', ',443', '443;8443', '443 8443', '-1', '0443', '4.5', 'https', '443-8443', ' '],
    'PUSH_PORTS must be ports from 1 to 65535 such as 443,8443, separated by commas',
  );
});

test('the service is only tried locally while HOST and PUBLIC_URL are both loopback and nothing is trusted', () => {
  const tryingLocally = (env: Record<string, string | undefined>) => readConfig(env).tryingLocally;
  for (const env of [
    { HOST: '::1' },
    { HOST: 'localhost', PUBLIC_URL: 'https://localhost:3443' },
    { HOST: '127.0.0.2', PUBLIC_URL: 'http://127.1' },
    { PUBLIC_URL: 'http://[::1]:3000' },
  ])
    assert.equal(tryingLocally(env), true, JSON.stringify(env));
  for (const env of [
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.2' },
    { PUBLIC_URL: 'https://chat.example.com' },
    { PUBLIC_URL: 'http://localhost.example.com' },
    { TRUST_PROXY: 'loopback' },
  ])
    assert.equal(tryingLocally(env), false, JSON.stringify(env));
});
