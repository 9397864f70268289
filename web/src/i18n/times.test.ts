import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysBetween, timesIn } from './times.ts';

const at = (text: string) => new Date(text).getTime(); // in the machine's own time zone, as the page reads it
const NOW = at('2026-03-18T15:30:00'); // a Wednesday
const en = timesIn('en');
const zh = timesIn('zh-CN');
/** Intl puts a narrow space before AM and PM. */
const plain = (text: string) => text.replaceAll('\u202f', ' ');

test('a list shows the clock for today, then the day, then the date', () => {
  const said = (text: string) => plain(en.brief(at(text), NOW));
  assert.equal(said('2026-03-18T00:00:00'), '12:00 AM');
  assert.equal(said('2026-03-17T23:59:59'), 'Yesterday');
  assert.equal(said('2026-03-16T12:00:00'), 'Mon');
  assert.equal(said('2026-03-12T12:00:00'), 'Thu');
  assert.equal(said('2026-03-11T12:00:00'), 'Mar 11');
  assert.equal(said('2025-12-31T12:00:00'), 'Dec 31, 2025');
  assert.equal(zh.brief(at('2026-03-17T12:00:00'), NOW), '昨天');
  assert.equal(zh.brief(at('2026-03-18T09:05:00'), NOW), '9:05');
});

test('two moments of one day are a span', () => {
  const [from, to] = [at('2026-03-18T14:03:00'), at('2026-03-18T14:40:00')];
  assert.equal(plain(en.clockSpan(from, to)).replaceAll('\u2009', ' '), '2:03 – 2:40 PM');
  assert.equal(zh.clockSpan(from, to), '14:03–14:40');
});

test('a day is named', () => {
  assert.equal(en.day(at('2026-03-18T01:00:00'), NOW), 'Today');
  assert.equal(en.day(at('2026-03-17T01:00:00'), NOW), 'Yesterday');
  assert.equal(en.day(at('2026-03-01T01:00:00'), NOW), 'Sunday, March 1');
  assert.equal(en.day(at('2025-03-01T01:00:00'), NOW), 'March 1, 2025');
  assert.equal(zh.day(at('2026-03-18T01:00:00'), NOW), '今天');
});

test('a stamp is read alike everywhere', () => {
  assert.equal(en.stamp(at('2026-11-21T14:03:00')), '21 Nov 2026, 14:03');
  assert.equal(en.stamp(at('2026-11-01T00:03:00')), '1 Nov 2026, 00:03');
  assert.equal(zh.stamp(at('2026-11-21T14:03:00')), '2026年11月21日 14:03');
});

test('how long ago, and never in the future, since clocks differ', () => {
  const said = (passedMs: number) => en.ago(NOW - passedMs, NOW);
  assert.equal(said(-60_000), 'just now');
  assert.equal(said(59_999), 'just now');
  assert.equal(said(60_000), '1 minute ago');
  assert.equal(said(59 * 60_000), '59 minutes ago');
  assert.equal(said(3 * 3_600_000), '3 hours ago');
  assert.equal(said(26 * 3_600_000), 'yesterday');
  assert.equal(said(40 * 86_400_000), 'Feb 6');
  assert.equal(zh.ago(NOW - 59_999, NOW), '刚刚');
  assert.equal(zh.ago(NOW - 300_000, NOW), '5 分钟前');
});

test('days are those of the calendar, also over a change of the clock', () => {
  assert.equal(daysBetween(at('2026-03-28T12:00:00'), at('2026-03-30T00:00:00')), 2);
  assert.equal(daysBetween(at('2026-10-24T23:59:59'), at('2026-10-26T00:00:00')), 2);
  assert.equal(daysBetween(at('2026-03-18T00:00:00'), at('2026-03-18T23:59:59')), 0);
});
