import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatPath, profilePath, wayBack } from './person-paths.ts';

test('an id stays one part of an address, whatever it is', () => {
  assert.equal(profilePath('a/../b?c#d'), '/people/a%2F..%2Fb%3Fc%23d');
  assert.equal(chatPath('0199-ab'), '/chat/0199-ab');
});

test('from a profile one comes back to the chat that it was opened from, and else to the list', () => {
  assert.equal(wayBack('bob', 'https://doorman.example/chat/bob'), '/chat/bob');
  assert.equal(wayBack('bob', 'https://doorman.example/chat/carol'), '/people');
  assert.equal(wayBack('bob', 'https://doorman.example/people'), '/people');
  for (const unknown of [undefined, null, '', 'about']) assert.equal(wayBack('bob', unknown), '/people');
});
