import { parseNetworks } from '../http/client-address.ts';
import {
  contact,
  deletionGrace,
  hostName,
  listOf,
  mailFrom,
  oneOf,
  origin,
  rateLimit,
  redisUrl,
  smtpUrl,
  tokenTtl,
  wholeNumber,
  yesOrNo,
} from './fields.ts';

export interface Setting<T> {
  /** The text that is read if the setting is unset or empty; its value is null then if there is none. */
  readonly default?: string;
  readonly meaning: string;
  /** The rest of an error message that starts with the setting's name. */
  readonly must: string;
  /** `undefined` if the text is invalid; the default is always valid. */
  readonly read: (text: string) => T | undefined;
}

/** Every setting: name, default, and what its text must be. */
export const settings = {
  PORT: {
    default: '3000',
    meaning: 'Where to listen; 0 takes any free port',
    must: 'must be a whole number from 0 to 65535',
    read: wholeNumber(0, 65_535),
  },
  HOST: {
    default: '127.0.0.1',
    meaning: 'The address of this machine to listen on; 0.0.0.0 or :: for all',
    must: 'must be an IP address without brackets, or a host name',
    read: hostName,
  },
  DATA_DIR: {
    default: './data',
    meaning: 'Where the embedded database lives',
    must: 'must be a path',
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  DATABASE_URL: {
    meaning: 'PostgreSQL instead of the embedded database',
    must: 'must begin with postgres:// or postgresql:// and name a database',
    read: (text) => (/^postgres(ql)?:\/\/\S+$/.test(text) ? text : undefined),
  },
  REDIS_URL: {
    meaning: 'Redis or Valkey, which joins several servers on one PostgreSQL to one service',
    must: 'must be a redis:// or rediss:// URL with a host, such as redis://:password@redis.internal:6379/0',
    read: redisUrl,
  },
  DRAIN_SECONDS: {
    meaning:
      'How long a stopping server still serves while /readyz answers 503, for its load balancer; 5 with REDIS_URL, else 0',
    must: 'must be a whole number from 0 to 60',
    read: wholeNumber(0, 60),
  },
  PUBLIC_URL: {
    meaning: 'Our own origin, as browsers see it; http://localhost:PORT if unset',
    must: 'must be an http:// or https:// origin without path, such as https://chat.example.com',
    read: origin,
  },
  ORIGINS: {
    default: '',
    meaning: 'Further browser origins that may call the interface and open sockets',
    must: 'must be http:// or https:// origins without path, separated by commas',
    read: (text) => (text === '' ? [] : listOf(origin)(text)),
  },
  TRUST_PROXY: {
    default: '',
    meaning:
      'Proxies whose X-Forwarded-For counts: addresses, networks such as 10.0.0.0/8, or the word loopback',
    must: 'must be addresses, networks such as 10.0.0.0/8 (never /0), or the word loopback, separated by commas',
    read: parseNetworks,
  },
  REGISTRATION: {
    default: 'open',
    meaning: 'Who may create an account: everyone (open), users with an invite (invite), or no one (closed)',
    must: 'must be one of open, invite and closed',
    read: oneOf('open', 'invite', 'closed'),
  },
  RATE_LIMIT_API: {
    default: '60/1m',
    meaning: 'Calls of one user, or of one address without a token, under /api/; or off',
    must: 'must be off, or calls and a time such as 60/1m: 1 to 100000 calls, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_AUTH: {
    default: '20/15m',
    meaning: 'Registrations, logins and uses of password links of one address together; or off',
    must: 'must be off, or calls and a time such as 20/15m: 1 to 100000 calls, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_MESSAGES: {
    default: '30/10s',
    meaning: 'Messages of one user, over the socket and HTTP together; or off',
    must: 'must be off, or messages and a time such as 30/10s: 1 to 100000 messages, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_PICTURES: {
    default: '60/1h',
    meaning: 'Uploads of pictures by one user; or off',
    must: 'must be off, or uploads and a time such as 60/1h: 1 to 100000 uploads, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_SEARCH: {
    default: '20/1m',
    meaning: 'Searches in messages of one user, over the socket and HTTP together; or off',
    must: 'must be off, or searches and a time such as 20/1m: 1 to 100000 searches, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_PICTURE_READS: {
    default: '600/1m',
    meaning: 'Reads of pictures of messages by one user, which count nowhere else; or off',
    must: 'must be off, or reads and a time such as 600/1m: 1 to 100000 reads, units s, m and h, up to 24h',
    read: rateLimit,
  },
  RATE_LIMIT_KEYS: {
    default: '6000/1m',
    meaning: 'Calls of one API key under /api/admin/; or off',
    must: 'must be off, or calls and a time such as 6000/1m: 1 to 100000 calls, units s, m and h, up to 24h',
    read: rateLimit,
  },
  PICTURES: {
    default: 'on',
    meaning: 'Pictures in messages: users may send them (on), or not (off); those of before stay readable',
    must: 'must be on or off',
    read: oneOf('on', 'off'),
  },
  BCRYPT_COST: {
    default: '10',
    meaning: 'How much work a new password hash takes',
    must: 'must be a whole number from 4 to 15',
    read: wholeNumber(4, 15),
  },
  PASSWORD_LIST: {
    default: 'warn',
    meaning:
      'New passwords among the 10,000 most common ones: the page warns (warn), they are refused (refuse), or neither (off)',
    must: 'must be warn, refuse or off',
    read: oneOf('warn', 'refuse', 'off'),
  },
  TOKEN_TTL: {
    default: '7d',
    meaning: 'How long a token is good',
    must: 'must be a time such as 7d, 12h, 30m or 90s, from 60s to 180d',
    read: tokenTtl,
  },
  DELETION_GRACE: {
    default: '30d',
    meaning: 'How long users can undo the deletion of their account, before it is erased; 0: not at all',
    must: 'must be 0, or a time such as 30d, 12h, 30m or 90s, up to 90d',
    read: deletionGrace,
  },
  VAPID_SUBJECT: {
    meaning: 'Where push services reach the operator; PUBLIC_URL if that is https, else a placeholder',
    must: 'must be a mailto: address or an https: URL',
    read: contact,
  },
  PUSH_ALLOW_PRIVATE: {
    default: '0',
    meaning: 'Allows push endpoints on private addresses and over http',
    must: 'must be 1 or 0',
    read: yesOrNo,
  },
  PUSH_PORTS: {
    default: '443',
    meaning: 'Ports on which push services are called, such as 443,8443 if some are self-hosted',
    must: 'must be ports from 1 to 65535 such as 443,8443, separated by commas',
    read: listOf(wholeNumber(1, 65_535)),
  },
  SMTP_URL: {
    meaning:
      'The server that takes mails, with user and password; no mails are sent if unset; needs PUBLIC_URL',
    must: 'must be an smtp:// or smtps:// URL with a host, such as smtps://user:password@mail.example.com; ?requireTLS=true and ?ignoreTLS=true may follow',
    read: smtpUrl,
  },
  MAIL_FROM: {
    meaning: 'The sender of mails; no-reply@ the host of PUBLIC_URL if unset',
    must: 'must be an address such as chat@example.com, or a name and an address such as Chat <chat@example.com>',
    read: mailFrom,
  },
  METRICS_PORT: {
    meaning:
      'Where to serve /metrics for Prometheus, apart from everything else; 0 takes any free port; off if unset',
    must: 'must be a whole number from 0 to 65535',
    read: wholeNumber(0, 65_535),
  },
  METRICS_HOST: {
    default: '127.0.0.1',
    meaning: 'The address of this machine on which /metrics is served; it has no password',
    must: 'must be an IP address without brackets, or a host name',
    read: hostName,
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: 'trace, debug, info, warn, error, fatal or silent',
    must: 'must be one of trace, debug, info, warn, error, fatal and silent',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  LOG_REQUESTS: {
    default: '0',
    meaning: 'Logs a line for each HTTP answer and each closed socket, at level info',
    must: 'must be 1 or 0',
    read: yesOrNo,
  },
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;
export type SettingValue<N extends SettingName> =
  | Exclude<ReturnType<(typeof settings)[N]['read']>, undefined>
  | ((typeof settings)[N] extends { default: string } ? never : null);
