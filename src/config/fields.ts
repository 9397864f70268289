import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Limit } from '../limits/sliding-log.ts';

// Parsers of the texts of settings. Each returns `undefined` for an invalid text.

const secondsPer = { s: 1, m: 60, h: 3_600, d: 86_400 };
const daySeconds = secondsPer.d;

/** Digits only, no sign, no leading zeros. */
export function wholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export function oneOf<T extends string>(...words: readonly T[]): (text: string) => T | undefined {
  return (text) => words.find((word) => word === text);
}

/** Separated by commas, each once; at least one. */
export function listOf<T>(parse: (text: string) => T | undefined): (text: string) => T[] | undefined {
  return (text) => {
    const found = text.split(',').map((entry) => parse(entry.trim()));
    return found.every((one) => one !== undefined) ? [...new Set(found)] : undefined;
  };
}

export function yesOrNo(text: string): boolean | undefined {
  return text === '1' ? true : text === '0' ? false : undefined;
}

/** `7d`, `12h`, `30m` or `90s`, as whole seconds. */
function seconds(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  // The pattern matches no other letter.
  return unit === undefined ? undefined : Number(amount) * secondsPer[unit as keyof typeof secondsPer];
}

/** 60 seconds to 180 days; with more, a token would outlive its unused session. */
export function tokenTtl(text: string): number | undefined {
  const ttl = seconds(text);
  return ttl !== undefined && ttl >= 60 && ttl <= 180 * daySeconds ? ttl : undefined;
}

/** `0` to 90 days, as whole seconds. */
export function deletionGrace(text: string): number | undefined {
  const grace = text === '0' ? 0 : seconds(text);
  return grace !== undefined && grace <= 90 * daySeconds ? grace : undefined;
}

/** `60/1m`: 1 to 100,000 calls in 1 s to 24 h, which bounds the memory of a key. `off` is null. */
export function rateLimit(text: string): Limit | null | undefined {
  if (text === 'off') return null;
  const [calls = '', time = '', ...rest] = text.split('/');
  const limit = wholeNumber(1, 100_000)(calls);
  const window = /[smh]$/.test(time) ? seconds(time) : undefined;
  if (rest.length > 0 || limit === undefined || window === undefined || window > daySeconds) return undefined;
  return { limit, windowMs: window * 1_000 };
}

/** An http or https origin as browsers spell it: lower case, no default port, no slash at the end. */
export function origin(text: string): string | undefined {
  // `new URL` is lenient about spaces and slashes, and a star would look like a wildcard.
  if (!/^https?:\/\/[^\s*\\]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.href === `${url.origin}/` ? url.origin : undefined;
}

/** `redis://user:password@host:6379/0`, of which only the host is needed; `rediss` for TLS. */
export function redisUrl(text: string): string | undefined {
  if (!/^rediss?:\/\/\S+$/.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  return hostname !== '' && /^(\/\d{0,4})?$/.test(pathname) ? text : undefined;
}

/**
 * `smtp://user:password@host:587`, or `smtps`, with `?requireTLS=true` or `?ignoreTLS=true` at most: other parameters would set options of
 * `nodemailer`, such as one that logs the password.
 */
export function smtpUrl(text: string): string | undefined {
  if (!/^smtps?:\/\/[^\s\\]+$/.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, username, password, pathname, search, hash } = new URL(text);
  const isWhole =
    hostname !== '' && pathname.length < 2 && hash === '' && !/%(?![\da-f]{2})/i.test(username + password);
  return isWhole && ['', '?requireTLS=true', '?ignoreTLS=true'].includes(search) ? text : undefined;
}

/** An address, or `Name <address>`, by which mails are sent. */
export function mailFrom(text: string): { name: string; address: string } | undefined {
  const [, quoted, plain, inside, alone] =
    /^(?:(?:"([^"\\]+)"|([^"\\<>]*?)) *<([^<>]*)>|(.*))$/.exec(text) ?? [];
  const [name, address] = [quoted ?? plain ?? '', inside ?? alone ?? ''];
  const isValid = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/.test(address) && !/\p{Cc}/u.test(name);
  return isValid ? { name, address } : undefined;
}

/** RFC 8292, 2.1: a `mailto:` address or an `https:` URL. */
export function contact(text: string): string | undefined {
  if (/^mailto:[^\s@<>"]+@[^\s@<>"]+$/.test(text)) return text;
  if (!/^https:\/\/[^\s<>"]+$/.test(text) || !URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  return username === '' && password === '' ? text : undefined;
}

/** An address to listen on, without brackets, or a name (RFC 1123, 2.1). */
export function hostName(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const labels = text.split('.');
  const isName = labels.every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label));
  // A last label of digits is a misspelt address.
  return isName && text.length <= 253 && !/^\d+$/.test(labels.at(-1) ?? '') ? text : undefined;
}

/** Whether only this machine can reach the host: `localhost`, 127.0.0.0/8 or ::1, with or without brackets. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || (isIP(bare) !== 0 && ipaddr.process(bare).range() === 'loopback');
}
