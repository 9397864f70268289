import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonView } from '../model/views.ts';
import { findPeople } from './find-people.ts';

const NAMES: Record<string, string> = {
  ada: 'Ada Lovelace',
  bea: 'Beatriz Adán',
  carl: 'Carlotta',
  dora: 'Dora',
  eve: 'ليلى',
  han: '爱达·勒芙蕾丝',
  mad: 'Madame X',
};

function find(typed: string, options: Partial<Parameters<typeof findPeople>[1]> = {}): string[] {
  const person = (id: string): PersonView => ({
    id,
    username: id,
    name: NAMES[id] ?? '',
    avatar: '',
    state: id in NAMES ? 'known' : 'unknown',
  });
  const sources = {
    chats: ['mad', 'carl'],
    friends: ['ada', 'carl'],
    people: ['ada', 'bea', 'dora', 'eve', 'han', 'eve'],
    person,
    ownId: 'me',
    ...options,
  };
  return findPeople(typed, sources).map(({ id, kind }) => `${kind} ${id}`);
}

test('each user is found once: conversations first, then friends, then the directory', () => {
  assert.deepEqual(find(''), [
    'chats mad',
    'chats carl',
    'friends ada',
    'people bea',
    'people dora',
    'people eve',
    'people han',
  ]);
});

test('names are found without case and accents, those with a word that begins so before others', () => {
  assert.deepEqual(find('ADA'), ['chats mad', 'friends ada', 'people bea']);
  assert.deepEqual(find('ada', { chats: ['mad', 'bea'], friends: [] }), [
    'chats bea',
    'chats mad',
    'people ada',
  ]);
  assert.deepEqual(find('ليل'), ['people eve']);
  assert.deepEqual(find('勒芙'), ['people han']);
});

test('the user themselves and deleted accounts are left out', () => {
  assert.deepEqual(find('carl', { ownId: 'carl' }), []);
  const gone = { id: 'x', username: '', name: '', avatar: '', state: 'gone' } as const;
  assert.deepEqual(find('', { chats: ['x'], friends: [], people: [], person: () => gone }), []);
});

test('a user whose name is not known is found by an empty text alone', () => {
  assert.deepEqual(find('', { chats: ['new'], friends: [], people: [] }), ['chats new']);
  assert.deepEqual(find('new', { chats: ['new'], friends: [], people: [], person: unnamed }), []);
});

function unnamed(id: string): PersonView {
  return { id, username: '', name: '', avatar: '', state: 'unknown' };
}
