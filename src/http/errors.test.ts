import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorKind, ServiceError } from '../errors.ts';
import { openLog } from '../log.ts';
import { refusal } from './errors.ts';
import { openServer } from './server.ts';

function startThrowing(error: unknown) {
  const lines: string[] = [];
  const app = openServer(openLog('debug', { write: (line: string) => void lines.push(line) }));
  for (const path of ['/api/x', '/api/push/x'])
    app.get(path, async () => {
      throw error;
    });
  return { get: async (path: string) => (await app.inject(path)).json(), lines };
}

test('each kind of refusal has its code, its word and its text (interface 7)', async () => {
  const kinds: [ErrorKind, number][] = [
    ['invalid', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not-found', 404],
    ['rate-limited', 429],
  ];
  for (const [kind, code] of kinds) {
    const { get, lines } = startThrowing(new ServiceError(kind, 'some_word', '某个原因'));
    assert.deepEqual(await get('/api/x'), { code, error: 'some_word', msg: '某个原因' });
    assert.deepEqual(lines, [], 'a refusal is no event');
  }
});

test('our own texts are English on the push endpoints, in any spelling of the path, and Chinese elsewhere', async () => {
  const { get } = startThrowing(refusal('invalid', 'body_not_json'));
  assert.equal((await get('/api/x')).msg, '请求体不是有效的 JSON');
  assert.equal((await get('/api/push/x')).msg, 'The body is not valid JSON');
  assert.equal((await get('/%61pi/p%75sh/x')).msg, 'The body is not valid JSON');
  assert.equal((await get('/api/push/none')).msg, 'No such endpoint');
  const busy = startThrowing(new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试'));
  assert.equal((await busy.get('/api/x')).msg, '服务繁忙，请稍后再试');
  assert.equal((await busy.get('/api/push/x')).msg, 'Too busy, try again later');
  assert.equal((await get('/api/%70ush/none')).msg, 'No such endpoint');
  assert.equal((await get('/api/push')).msg, '接口不存在');
  assert.equal((await get('/api/push/%zz')).msg, 'The request is malformed');
});

test('callers who prefer another language than Chinese get English texts', async () => {
  const english = { headers: { 'accept-language': 'fr, zh;q=0.5' } };
  const app = openServer(openLog('silent'));
  const errors: Record<string, Error> = {
    known: new ServiceError('forbidden', 'not_accepting', '对方暂不接收'),
    own: new ServiceError('invalid', 'invalid_field', '缺少参数 bio', { english: 'bio is missing' }),
    unknown: new ServiceError('invalid', 'some_word', '某个原因'),
    fault: new Error('secret'),
  };
  for (const [path, error] of Object.entries(errors))
    app.get(`/api/${path}`, async () => {
      throw error;
    });
  const texts: Record<string, string> = {
    known: 'This user does not accept this at the moment',
    own: 'bio is missing',
    unknown: '某个原因',
    fault: 'Internal server error',
    none: 'No such endpoint',
  };
  for (const [path, msg] of Object.entries(texts))
    assert.equal((await app.inject({ url: `/api/${path}`, ...english })).json().msg, msg);
  assert.equal(
    (await app.inject({ url: '/api/known', headers: { 'accept-language': '*' } })).json().msg,
    '对方暂不接收',
  );
});

test('outside of /api/, where caches may store an error, it says that the language of its text varies', async () => {
  const app = openServer(openLog('silent'));
  const varyAt = async (url: string) => (await app.inject(url)).headers.vary;
  assert.deepEqual([await varyAt('/none'), await varyAt('/api/none')], ['Accept-Language', undefined]);
});

test('any other error is a fault, whatever its name and status', async () => {
  const thrown: unknown[] = [
    new Error('plain'),
    Object.assign(new Error('poses as a refusal'), { statusCode: 404, code: 'E_NOT_OURS' }),
    Object.assign(new Error('poses as a success'), { statusCode: 200 }),
    { kind: 'forbidden', word: 'no', message: 'no error at all' },
    undefined,
    null,
    'a word',
  ];
  for (const one of thrown) {
    const { get, lines } = startThrowing(one);
    assert.deepEqual(
      await get('/api/x'),
      { code: 500, error: 'internal', msg: '服务器内部错误' },
      String(one),
    );
    assert.equal((await get('/api/push/x')).msg, 'Internal server error');
    assert.equal(lines.filter((line) => line.includes('"msg":"fault"')).length, 2, String(one));
  }
});
