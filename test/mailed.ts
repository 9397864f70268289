import assert from 'node:assert/strict';

/** The code of a mail that verifies an address. */
export function codeIn(text: string): string {
  const [code] = /\b\d{8}\b/.exec(text) ?? [];
  assert.ok(code, text);
  return code;
}

/** The token of a link of a mail, to `verify-email`, `set-password` or `end-session`. */
export function tokenIn(text: string, page: string): string {
  const [, token] = new RegExp(`https://chat\\.example\\.org/${page}#(\\S+)`).exec(text) ?? [];
  assert.ok(token, text);
  return token;
}
