import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettingsView } from '../account/model/views.ts';
import { pushSummary } from './push-summary.ts';

const SETTINGS: SettingsView = { pushEnabled: true, dndEnabled: false, pushPreview: 'sender' };
const on = { state: 'on', error: undefined } as const;

test('what holds on all devices comes before this one', () => {
  assert.equal(pushSummary(on, SETTINGS), 'on');
  assert.equal(pushSummary(on, { ...SETTINGS, dndEnabled: true }), 'dnd');
  assert.equal(pushSummary(on, { ...SETTINGS, pushEnabled: false, dndEnabled: true }), 'nowhere');
});

test('do not disturb is no news where nothing comes anyway', () => {
  assert.equal(pushSummary({ state: 'off', error: undefined }, { ...SETTINGS, dndEnabled: true }), 'off');
});

test('what does not work is said, and what is not known yet is not', () => {
  assert.equal(pushSummary({ state: 'on', error: new Error('refused') }, SETTINGS), 'failing');
  assert.equal(pushSummary({ state: undefined, error: undefined }, SETTINGS), undefined);
  assert.equal(pushSummary({ state: 'denied', error: undefined }, undefined), 'denied');
});
