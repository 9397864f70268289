import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TObject, Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { flag, oneOf, readFields, readNumbers, text } from './validation.ts';

const Person = Type.Object({
  name: text({
    minLength: 2,
    maxLength: 4,
    refusal: ['name_length', 'two to four'],
    tooLong: ['name_long', 'at most four'],
  }),
  bio: Type.Optional(text({ maxLength: 5 })),
  age: Type.Optional(Type.Integer({ minimum: 0, maximum: 150 })),
  kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  loud: Type.Optional(Type.Boolean()),
});

function refused(
  input: object,
  { english = false, schema = Person as TObject } = {},
): [word: string, text: string] {
  try {
    readFields(schema, input);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'invalid', String(error));
    return [error.word, english ? (error.english ?? '') : error.message];
  }
  throw new Error(`accepted: ${JSON.stringify(input)}`);
}

test('valid fields are returned, unknown ones are left out, and nothing is coerced', () => {
  const sent = { name: 'Ana', loud: false, extra: 1, toString: 'x' };
  assert.deepEqual(readFields(Person, sent), { name: 'Ana', loud: false });
  assert.deepEqual(Object.keys(sent), ['name', 'loud', 'extra', 'toString'], 'what was sent is left alone');
});

test('lengths count code points', () => {
  assert.deepEqual(readFields(Person, { name: '😀😀😀😀' }), { name: '😀😀😀😀' });
  assert.deepEqual(refused({ name: '😀' }), ['name_length', 'two to four']);
  assert.deepEqual(refused({ name: 'e\u0301e\u0301e\u0301' }), ['name_long', 'at most four']);
});

test('a text is judged alike, whatever its schema says beside its length', () => {
  const Texts = Type.Object({
    any: Type.Optional(text()),
    some: Type.Optional(text({ minLength: 1, maxLength: 3, description: 'up to three' })),
    digits: Type.Optional(text({ maxLength: 3, pattern: '^[0-9]*$' })),
    one: Type.Optional(Type.Literal('a')),
  });
  const isAccepted = (input: object) => {
    try {
      return Object.keys(readFields(Texts, input)).length === 1;
    } catch {
      return false;
    }
  };
  for (const accepted of [
    { any: '' },
    { some: 'a' },
    { some: '😀😀😀' },
    { digits: '' },
    { digits: '12' },
    { one: 'a' },
  ])
    for (let time = 0; time < 2; time++) assert.ok(isAccepted(accepted), JSON.stringify(accepted));
  for (const refused of [
    { any: 1 },
    { some: '' },
    { some: 'abcd' },
    { digits: 'a' },
    { digits: '1234' },
    { one: 'b' },
  ])
    for (let time = 0; time < 2; time++) assert.ok(!isAccepted(refused), JSON.stringify(refused));
});

test('a field with a refusal of its own uses it for every error', () => {
  for (const name of [undefined, null, 7, ['Ana'], {}, 'A', ''])
    assert.deepEqual(refused({ name }), ['name_length', 'two to four'], String(name));
  assert.deepEqual(refused({ name: 'Anastasia' }), ['name_long', 'at most four']);
});

test('fields are validated in the order of the schema, not of the body', () => {
  assert.deepEqual(refused({ age: 'x', bio: 7, name: 'A' }), ['name_length', 'two to four']);
  assert.deepEqual(refused({ age: 'x', bio: 7, name: 'Ana' }), ['invalid_field', '参数 bio 需为字符串']);
});

test('an inherited property is not a field', () => {
  assert.deepEqual(refused(Object.create({ name: 'Ana' })), ['name_length', 'two to four']);
  const Odd = Type.Object({ toString: text() });
  assert.deepEqual(refused({}, { schema: Odd }), ['invalid_field', '缺少参数 toString']);
});

test('other errors name the field and what it must be, in either language', () => {
  const Named = Type.Object({ id: text({ minLength: 1, maxLength: 3 }) });
  const ana = { name: 'Ana' };
  const cases: [input: object, chinese: string, english: string, schema?: TObject][] = [
    [{}, '缺少参数 id', 'id is missing', Named],
    [{ id: 7 }, '参数 id 需为字符串', 'id must be a string', Named],
    [{ id: 'abcd' }, '参数 id 的长度需在1-3之间', 'id must have 1 to 3 characters', Named],
    [{ ...ana, bio: 'too long' }, '参数 bio 的长度需在0-5之间', 'bio must have 0 to 5 characters'],
    [{ ...ana, age: 1.5 }, '参数 age 需为 0-150 的整数', 'age must be an integer from 0 to 150'],
    [{ ...ana, age: 151 }, '参数 age 需为 0-150 的整数', 'age must be an integer from 0 to 150'],
    [{ ...ana, kind: 'c' }, '参数 kind 不正确', 'kind is not valid'],
    [{ ...ana, loud: 1 }, '参数 loud 需为布尔值', 'loud must be a boolean'],
  ];
  for (const [input, chinese, english, schema = Person] of cases) {
    assert.deepEqual(refused(input, { schema }), ['invalid_field', chinese]);
    assert.deepEqual(refused(input, { schema, english: true }), ['invalid_field', english]);
  }
});

test('the whole numbers of a query are read as JSON spells them', () => {
  const Query = Type.Object({
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    on: Type.Optional(flag()),
    q: Type.Optional(text()),
  });
  const read = (query: object) => readFields(Query, readNumbers(Query, query));
  assert.deepEqual(read({ n: '7', on: '0', q: '7' }), { n: 7, on: 0, q: '7' });
  assert.deepEqual(read({ n: `${Number.MAX_SAFE_INTEGER}` }), { n: Number.MAX_SAFE_INTEGER });
  const wrong = ['0', '07', '+7', '-7', '7.0', '7e0', '0x7', ' 7', '', '٧', ['7', '8'], '9007199254740992'];
  for (const n of [...wrong, '99999999999999999999'])
    assert.throws(() => read({ n }), { message: `参数 n 需为 1-${Number.MAX_SAFE_INTEGER} 的整数` }, `${n}`);
  for (const on of ['2', 'true', '01']) assert.throws(() => read({ on }), { message: '参数 on 不正确' }, on);
  const odd = JSON.parse('{ "__proto__": "7", "toString": "7" }');
  assert.deepEqual(read(odd), {});
});

test('a value is one of a few texts or numbers', () => {
  const Choice = Type.Object({ word: oneOf('Word', ['', 'full']), on: flag() });
  assert.deepEqual(readFields(Choice, { word: '', on: 1 }), { word: '', on: 1 });
  for (const other of [
    { word: 'half', on: 1 },
    { word: '', on: 2 },
    { word: '', on: '1' },
    { word: null, on: 1 },
  ])
    assert.throws(() => readFields(Choice, other), { word: 'invalid_field' });
});
