import { requestBytes } from './http-load.ts';

/** Just below the limits of a body and of a head. */
const BODY_BYTES = 65_000;
const HEAD_BYTES = 15_000;

/** An input with the status of its answer. */
export interface WorstInput {
  readonly request: Buffer;
  readonly status: number;
}

/**
 * What takes the service longest among the inputs that each public route accepts, by route. The inputs are refused late, or never:
 * after they were parsed, checked and looked up.
 *
 * @param user with a password that can be guessed
 */
export function worstInputs(user: {
  readonly id: string;
  readonly username: string;
}): Record<string, WorstInput[]> {
  const password = 'not the password';
  const post = (path: string, body: object, status: number) => ({
    request: requestBytes('POST', path, { body }),
    status,
  });
  const get = (path: string, status: number, fields: readonly string[] = []) => ({
    request: Buffer.from(
      `${['GET', path, 'HTTP/1.1\r\nHost: 127.0.0.1'].join(' ')}\r\n${fields.map((one) => `${one}\r\n`).join('')}\r\n`,
      'latin1',
    ),
    status,
  });
  const marks = combiningMarks(BODY_BYTES / 2);
  const subscription = (endpoint: string) => ({
    endpoint,
    keys: { p256dh: 'A'.repeat(200), auth: 'A'.repeat(100) },
  });
  const head = (text: string) => text.repeat(HEAD_BYTES / text.length);
  return {
    'POST /api/register': [
      post('/api/register', { username: marks, password }, 400),
      post(
        '/api/register',
        {
          username: combiningMarks(32),
          password,
          nickname: combiningMarks(64),
          email: emails(),
          avatar: foreignUrl(),
        },
        400,
      ),
      post('/api/register', { ...manyFields(), password }, 400),
    ],
    'POST /api/login': [
      post('/api/login', { username: marks, password }, 400),
      post('/api/login', { username: combiningMarks(576), password }, 400),
      post('/api/login', { username: user.username, password: 'x'.repeat(BODY_BYTES - 100) }, 400),
      post('/api/login', { username: `${combiningMarks(575)}@`, password }, 400),
      post('/api/login', manyFields(), 400),
    ],
    'POST /api/account/email/verify': [
      post('/api/account/email/verify', { token: marks }, 400),
      post('/api/account/email/verify', manyFields(), 400),
    ],
    'POST /api/password-link': [
      post('/api/password-link', { token: marks, newPassword: password }, 400),
      post('/api/password-link', manyFields(), 400),
    ],
    'POST /api/push/subscribe': [
      post('/api/push/subscribe', { userId: user.id, subscription: subscription(foreignUrl()) }, 400),
      post(
        '/api/push/subscribe',
        {
          userId: user.id,
          subscription: subscription(`https://push.example.net/${'%'.repeat(2000)}`),
          lang: '-',
        },
        400,
      ),
      post(
        '/api/push/subscribe',
        { userId: user.id, subscription: JSON.stringify(manyFields()).slice(0, BODY_BYTES / 2) },
        400,
      ),
      post('/api/push/subscribe', { userId: user.id, subscription: manyFields() }, 400),
    ],
    'POST /api/push/receipt': [
      post('/api/push/receipt', { receipt: marks, event: 'shown' }, 400),
      post('/api/push/receipt', manyFields(), 400),
    ],
    'GET /api/user/profile/:userId': [
      get(`/api/user/profile/${user.id}?${head('a=%41&')}`, 200),
      get(`/api/user/profile/${'%C3%A9'.repeat(100)}`, 404),
    ],
    'GET /ws': [
      get('/ws', 400, [...HANDSHAKE, `Sec-WebSocket-Protocol: ${uniqueNames()}`]),
      get('/ws', 403, [...HANDSHAKE, `Origin: http://${head('\xe4\xf6\xfc')}`]),
    ],
    'a route without fields': [
      '/api/options',
      '/api/push/public-key',
      '/.well-known/jwks.json',
      '/healthz',
      '/readyz',
    ].flatMap((path) => [
      get(path, 200, manyHeaders()),
      get(`${path}?${'&a'.repeat(7_000)}`, 200, [`Authorization: Bearer ${'a.'.repeat(500)}`]),
    ]),
    'GET of an unknown path': [
      get('/x', 404, [`Accept: ${head('text/html;q=,')}`]),
      get(`/${head('%41.')}`, 404),
      get(`/chat/${head('%C3%A9')}`, 400),
      get(`/${head('a/')}`, 404, [`Accept: text/html`]),
    ],
    'GET of the page and its files': ['/', '/sw.js', '/icons/icon.svg'].flatMap((path) => [
      get(path, 200, [`Accept-Encoding: ${head('br;q=0.5,')}`]),
      get(path, 200, [`If-None-Match: ${head('"a",')}`]),
    ]),
    'GET /openapi.json and /docs': [
      get('/openapi.json', 200, [`Accept-Encoding: ${head('br;q=0.5,')}`]),
      get('/openapi.json', 200, [`If-None-Match: ${head('"a",')}`]),
      get('/docs', 200),
      get('/docs/reference.js', 200),
    ],
  };
}

const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** Marks of several classes in turn: normalization sorts them, in time that grows with the square of their number. */
function combiningMarks(count: number): string {
  const marks = ['\u0315', '\u0300', '\u0316', '\u0345'];
  return Array.from({ length: count }, (_, i) => marks[i % marks.length]).join('');
}

/** A host of different characters: each takes a pass over all of them to become Punycode. */
function foreignUrl(): string {
  return `https://${Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')}/`;
}

/** Matches the pattern of an address late, or not at all. */
function emails(): string {
  return `${'a'.repeat(120)}@${'b'.repeat(120)}@`;
}

/** As many fields as a body can have, with escapes, so that each text is checked; no route knows any of them. */
function manyFields(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 3_400 }, (_, i) => [`f${i.toString(36)}`, '\u0001']));
}

function manyHeaders(): string[] {
  return Array.from({ length: 900 }, (_, i) => `X-${i.toString(36)}: ${i}`);
}

function uniqueNames(): string {
  return Array.from({ length: 2_500 }, (_, i) => i.toString(36))
    .join(', ')
    .slice(0, HEAD_BYTES);
}
