import { domainToASCII } from 'node:url';

const MAX_LENGTH = 254;
/** What HTML's `<input type=email>` takes before the `@`. */
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~-]+$/;
/** `domainToASCII` reads a host as part of a URL: it ends at a `/`, and `%2e` is a dot. */
const HOST_CHARACTERS = /^(?:[A-Za-z\d.-]|\P{ASCII})+$/u;
/** At least two labels (RFC 1123, 2.1). A last one of digits would make it a network address. */
const HOST = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

/**
 * Reads an e-mail address that is to get mail. This is the only guard of recipients: `nodemailer` sends to both of `a@x, b@y`, and to
 * `b@y` for `<b@y>`.
 *
 * @returns the address with its host in lower case and ASCII; `undefined` if it is none
 */
export function parseAddress(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [local = '', host = '', ...rest] = text.split('@');
  if (rest.length > 0 || !LOCAL_PART.test(local) || !HOST_CHARACTERS.test(host)) return undefined;
  const ascii = domainToASCII(host);
  const address = `${local}@${ascii}`;
  return HOST.test(ascii) && address.length <= MAX_LENGTH ? address : undefined;
}

/** By which two addresses are the same mailbox: mail servers take local parts in any case. */
export function addressKey(address: string): string {
  return address.toLowerCase();
}
