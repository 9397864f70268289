/** `localhost` and its subdomains (RFC 6761), 127.0.0.0/8 (RFC 1122) and ::1 (RFC 4291), also as an IPv4 address in an IPv6 one. */
const LOOPBACK =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/i;

/** Whether only this device reaches the host of an address. @param hostname as in `URL.hostname` */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
