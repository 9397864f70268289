export const host = 'Host: chat.example.com\r\n';
export const json = `${host}Content-Type: application/json\r\n`;
export const alive = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
export const register = (name: string) => JSON.stringify({ username: name, password: 'password' });

/** Bytes that are not a request, or break off in the middle of one: 400, and the connection ends. */
export const BROKEN: [fault: string, bytes: string | Buffer][] = [
  ['a TLS greeting', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
  ['noise', Buffer.from([0, 1, 2, 3, 255, 254])],
  ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', `FOO /healthz HTTP/1.1\r\n${host}\r\n`],
  ['a method in small letters', `get /healthz HTTP/1.1\r\n${host}\r\n`],
  ['an unknown version', `GET /healthz HTTP/3.0\r\n${host}\r\n`],
  ['no version that is one', `GET /healthz HTTPS/1.1\r\n${host}\r\n`],
  ['a path without a slash', `GET healthz HTTP/1.1\r\n${host}\r\n`],
  ['a space in the path', `GET /api/user/profile/a b HTTP/1.1\r\n${host}\r\n`],
  ['raw UTF-8 in the path', `GET /api/user/profile/ä HTTP/1.1\r\n${host}\r\n`],
  ['lines without carriage return', 'GET /healthz HTTP/1.1\nHost: x\n\n'],
  ['a header without colon', `GET /healthz HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
  ['a space in the name of a header', `GET /healthz HTTP/1.1\r\n${host}X Y: 1\r\n\r\n`],
  ['a space before the colon', `GET /healthz HTTP/1.1\r\n${host}X : 1\r\n\r\n`],
  ['a control character in a header', `GET /healthz HTTP/1.1\r\n${host}X: \x01\r\n\r\n`],
  ['a folded header', `GET /healthz HTTP/1.1\r\n${host}X: 1\r\n 2\r\n\r\n`],
  ['a header of 20 KB', `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  [
    'a token of 20 KB',
    `GET /api/users HTTP/1.1\r\n${host}Authorization: Bearer ${'x'.repeat(20_000)}\r\n\r\n`,
  ],
  ['2,500 headers', `GET /healthz HTTP/1.1\r\n${host}${'x: yz\r\n'.repeat(2_500)}\r\n`],
  ['a path of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  ['a negative length', `POST /api/login HTTP/1.1\r\n${json}Content-Length: -1\r\n\r\n`],
  ['a length that is no number', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 2x\r\n\r\n{}`],
  ['a length in hexadecimal', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 0x2\r\n\r\n{}`],
  [
    'a length beyond all numbers',
    `POST /api/login HTTP/1.1\r\n${json}Content-Length: ${'9'.repeat(30)}\r\n\r\n`,
  ],
  ['two lengths', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ['a list of lengths', `POST /api/login HTTP/1.1\r\n${json}Content-Length: 2, 2\r\n\r\n{}`],
  [
    'a length and chunks',
    `POST /api/register HTTP/1.1\r\n${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${alive}`,
  ],
  [
    'chunks and a length',
    `POST /api/register HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${alive}`,
  ],
  [
    'chunks that are not last',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ['another encoding', `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: gzip\r\n\r\n{}`],
  [
    'chunks by a strange name',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk without size',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk longer than it says',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a negative chunk',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk extension of 20 KB',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a broken trailer',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nno trailer\r\n\r\n`,
  ],
];

/** Unusual but valid requests: each is answered, and the connection goes on. */
export const UNUSUAL: [what: string, bytes: string, status: number][] = [
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`, 400],
  [
    'two Hosts, one with an unknown path',
    `GET /nothing HTTP/1.1\r\n${host}Host: elsewhere.example\r\n\r\n`,
    400,
  ],
  [
    'two Hosts, and a path of the page that cannot be decoded',
    `GET /%zz HTTP/1.1\r\naccept: text/html\r\n${host}Host: elsewhere.example\r\n\r\n`,
    400,
  ],
  ['a Host that is none', 'GET /healthz HTTP/1.1\r\nHost: chat example com\r\n\r\n', 400],
  ['a Host with a path', 'GET /api/users HTTP/1.1\r\nHost: chat.example.com/api\r\n\r\n', 400],
  ['an absolute target', `GET http://chat.example.com/healthz HTTP/1.1\r\n${host}\r\n`, 200],
  [
    'an absolute target with an unknown path',
    `GET http://chat.example.com/api/nothing HTTP/1.1\r\n${host}\r\n`,
    404,
  ],
  ['an absolute target elsewhere', `GET https://elsewhere.example/healthz HTTP/1.1\r\n${host}\r\n`, 200],
  ['dots in the path', `GET /api/../healthz HTTP/1.1\r\n${host}\r\n`, 404],
  ['escaped dots', `GET /api/user/profile/..%2f..%2fhealthz HTTP/1.1\r\n${host}\r\n`, 404],
  ['a bad escape', `GET /%zz HTTP/1.1\r\n${host}\r\n`, 400],
  ['a bad escape of a push path', `GET /api/push/%zz HTTP/1.1\r\n${host}\r\n`, 400],
  ['an over-long parameter', `GET /api/user/profile/${'x'.repeat(12_000)} HTTP/1.1\r\n${host}\r\n`, 400],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404],
  ['OPTIONS', `OPTIONS /api/login HTTP/1.1\r\n${host}Origin: https://elsewhere.example\r\n\r\n`, 404],
  ['TRACE', `TRACE /healthz HTTP/1.1\r\n${host}Cookie: secret\r\n\r\n`, 404],
  ['PROPFIND', `PROPFIND /api/users HTTP/1.1\r\n${host}\r\n`, 404],
  ['QUERY', `QUERY /api/users HTTP/1.1\r\n${host}\r\n`, 400],
  ['an unknown expectation', `GET /healthz HTTP/1.1\r\n${host}Expect: a-miracle\r\n\r\n`, 200],
  [
    'an upgrade that is not offered',
    `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    200,
  ],
  ['Accept-Version', `GET /healthz HTTP/1.1\r\n${host}Accept-Version: 9.x\r\n\r\n`, 200],
  ['a body with GET', `GET /healthz HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello`, 200],
  [
    'chunks',
    `POST /api/login HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nX: y\r\n\r\n`,
    400,
  ],
  ['neither length nor chunks', `POST /api/login HTTP/1.1\r\n${json}\r\n`, 400],
  ['a body of another route', `DELETE /api/login HTTP/1.1\r\n${json}Content-Length: 2\r\n\r\n{}`, 404],
];
