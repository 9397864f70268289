import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { makeKey } from '../api-key.ts';
import { onEachDatabase } from '../databases.ts';
import { type Call, startService } from '../harness.ts';
import { assertEnvelope, assertRefused } from './envelope.ts';
import { everythingStored } from './stored.ts';
import { apiRoutes } from './surface.ts';

const json =
  '{"username":"alice","password":"password-of-alice","nickname":"planted","blockedId":"x","userId":"x"}';
const utf8 = Buffer.from(json);

/** Invalid bodies, each with its error word. */
const BROKEN: [fault: string, word: string, call: Call][] = [
  ['nothing', 'body_empty', { raw: '' }],
  ['white space', 'body_not_json', { raw: ' \n' }],
  ['half of it', 'body_not_json', { raw: json.slice(0, -1) }],
  ['cut within a string', 'body_not_json', { raw: json.slice(0, 15) }],
  ['no JSON', 'body_not_json', { raw: 'username=alice&password=password' }],
  ['single quotes', 'body_not_json', { raw: "{'username':'alice'}" }],
  ['a comma too many', 'body_not_json', { raw: '{"username":"alice",}' }],
  ['something behind it', 'body_not_json', { raw: `${json}{}` }],
  ['a byte order mark', 'body_not_json', { raw: `\ufeff${json}` }],
  ['a raw control character', 'body_not_json', { raw: '{"username":"al\u0001ice"}' }],
  ['a raw U+0000', 'body_not_json', { raw: '{"username":"al\0ice"}' }],
  ['an array', 'body_not_object', { raw: `[${json}]` }],
  ['null', 'body_not_object', { raw: 'null' }],
  ['a string', 'body_not_object', { raw: '"alice"' }],
  ['a number', 'body_not_object', { raw: '7' }],
  ['a truth value', 'body_not_object', { raw: 'true' }],
  ['Latin-1', 'body_not_utf8', { raw: Buffer.from('{"username":"jürgen"}', 'latin1') }],
  [
    'UTF-16',
    'body_not_utf8',
    { raw: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, 'utf16le')]) },
  ],
  [
    'an overlong form',
    'body_not_utf8',
    { raw: Buffer.concat([utf8.subarray(0, 14), Buffer.from([0xc0, 0xaf]), utf8.subarray(14)]) },
  ],
  [
    'an encoded surrogate',
    'body_not_utf8',
    { raw: Buffer.concat([utf8.subarray(0, 14), Buffer.from([0xed, 0xa0, 0x80]), utf8.subarray(14)]) },
  ],
  ['a character cut in two', 'body_not_utf8', { raw: Buffer.from('{"username":"周"}').subarray(0, 15) }],
  ['a lone surrogate in an unknown field', 'body_bad_text', { raw: '{"x":{"y":["\\ud800"]}}' }],
  ['U+0000 in the name of a field', 'body_bad_text', { raw: '{"a\\u0000":1}' }],
  ['33 levels', 'body_too_deep', { raw: `{"x":${'['.repeat(32)}${']'.repeat(32)}}` }],
  ['30,000 levels', 'body_too_deep', { raw: `{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}` }],
  ['60,000 levels that never close', 'body_too_deep', { raw: '['.repeat(60_000) }],
  ['100,000 levels', 'body_too_large', { raw: '{"x":'.repeat(100_000) + 1 + '}'.repeat(100_000) }],
  ['one byte too many', 'body_too_large', { raw: json.padEnd(64 * 1024 + 1) }],
  ['3 MB', 'body_too_large', { raw: json.padEnd(3_000_000) }],
  ['gzip', 'content_encoding', { raw: gzipSync(json), headers: { 'content-encoding': 'gzip' } }],
  ['deflate', 'content_encoding', { raw: deflateSync(json), headers: { 'content-encoding': 'DEFLATE' } }],
  ['brotli', 'content_encoding', { raw: brotliCompressSync(json), headers: { 'content-encoding': 'br' } }],
  ['gzip without saying so', 'body_not_utf8', { raw: gzipSync(json) }],
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json-patch+json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'json',
    ';;;',
    '*/*',
    '__proto__',
    '',
  ].map((type): [string, string, Call] => [
    `the media type ${JSON.stringify(type)}`,
    'media_type',
    { raw: json, headers: { 'content-type': type } },
  ]),
];

onEachDatabase('Bad input: bodies', (database) => {
  test('every body that is not a JSON object is refused, and nothing is stored', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const key = await makeKey(service);
    const before = await everythingStored(service.services.db);
    for (const { path, body, isForKeys } of apiRoutes(service.app)) {
      if (!body) continue;
      const needsBody = Object.keys(body.properties).length > 0;
      for (const [fault, word, call] of BROKEN) {
        if (word === 'body_empty' && !needsBody) continue;
        const what = `${path} with ${fault}`;
        const answer = await service.call('POST', path, { ...(isForKeys ? key : { token }), ...call });
        assertRefused(answer, 400, what, path);
        assert.equal(answer.body.error, word, what);
      }
      const next = await service.get('/api/sessions', { token });
      assert.equal(next.status, 200, `the next request after ${path}`);
    }
    assert.deepEqual(await everythingStored(service.services.db), before);
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  test('unusual but valid bodies are accepted', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const bio = '{"bio":"wrote this"}';
    const unusual: Call[] = [
      { raw: bio, headers: { 'content-type': 'application/json; charset=UTF-8' } },
      { raw: bio, headers: { 'content-type': 'Application/JSON' } },
      { raw: bio, headers: { 'content-type': 'application/json;charset="utf-8"; x=y' } },
      { raw: bio, headers: { 'content-encoding': 'identity' } },
      { raw: ` \r\n${bio}\t` },
      { raw: bio.padEnd(64 * 1024) },
      { raw: `{"x":${'['.repeat(31)}${']'.repeat(31)},"bio":"wrote this"}` },
      { raw: '{"bio":"overwritten","bio":"wrote this"}' },
      { raw: '{"b\\u0069o":"wrote this","x":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\""}' },
    ];
    for (const call of unusual) {
      await service.post('/api/user/profile', { bio: '' }, { token });
      const answer = await service.call('POST', '/api/user/profile', { token, ...call });
      assertEnvelope(answer, JSON.stringify(call).slice(0, 100));
      assert.equal(answer.status, 200, JSON.stringify(call).slice(0, 100));
      const { body } = await service.get('/api/users', { token });
      assert.equal(body.data[0].bio, 'wrote this');
    }
  });
});
