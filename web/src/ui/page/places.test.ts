import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from './places.ts';

test('a section shows its list, what is below it shows the page', () => {
  assert.deepEqual(placeOf('/'), { section: 'chats', isDeep: false, isChat: false });
  assert.deepEqual(placeOf('/people'), { section: 'people', isDeep: false, isChat: false });
  assert.deepEqual(placeOf('/people/'), { section: 'people', isDeep: false, isChat: false });
  assert.deepEqual(placeOf('/people/0199'), { section: 'people', isDeep: true, isChat: false });
  assert.deepEqual(placeOf('/settings/log'), { section: 'settings', isDeep: true, isChat: false });
});

test('only a conversation takes the place of the bar', () => {
  assert.deepEqual(placeOf('/chat/0199'), { section: 'chats', isDeep: true, isChat: true });
});

test('an address that leads nowhere is a page too, so that narrow screens say so', () => {
  assert.deepEqual(placeOf('/nowhere'), { section: 'chats', isDeep: true, isChat: false });
});
