/** A new `cid` for a message. Pages without a secure context have no `crypto.randomUUID`. */
export function newCid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
