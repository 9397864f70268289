import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonView } from '../../features/contacts/model/views.ts';
import { findPeople } from './find-people.ts';

const NAMES: Record<string, string> = {
  ada: 'Ada Lovelace',
  bea: 'Beatriz Adán',
  carl: 'Carlotta',
  dora: 'Dora',
  eve: 'ليلى',
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
    people: ['ada', 'bea', 'dora', 'eve'],
    person,
    isLeftOut: () => false,
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
});

test('the user, blocked users and deleted accounts are left out', () => {
  assert.deepEqual(find('carl', { isLeftOut: (id) => id === 'carl' }), []);
  const gone = { id: 'x', username: '', name: '', avatar: '', state: 'gone' } as const;
  assert.deepEqual(find('', { chats: ['x'], friends: [], people: [], person: () => gone }), []);
});

test('at most forty are found', () => {
  const people = Array.from({ length: 100 }, (_, i) => `user${i}`);
  assert.equal(find('', { people }).length, 40);
});
