import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Quiet, QuietWindow } from '../../events/log-events.ts';
import { isTimeZone, quietUntil } from './quiet-times.ts';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const NIGHTS = { days: EVERY_DAY, from: '22:00', to: '07:00' };

/** The end of the quiet time at `now`, as UTC without seconds that are 0; `-` if it is not quiet. */
function endAt(zone: string, windows: readonly QuietWindow[], now: string, until = 0): string {
  const quiet: Quiet = { until, time_zone: zone, windows: [...windows] };
  const end = quietUntil(quiet, Date.parse(now));
  return end === undefined ? '-' : new Date(end).toISOString().replace(':00.000Z', 'Z');
}

function checkAll(
  zone: string,
  windows: readonly QuietWindow[],
  rows: readonly (readonly [now: string, end: string])[],
) {
  for (const [now, end] of rows) assert.equal(endAt(zone, windows, now), end, `${zone} ${now}`);
}

test('a window includes its beginning and not its end, and goes on over midnight', () => {
  checkAll(
    'UTC',
    [NIGHTS],
    [
      ['2026-11-25T21:59:59.999Z', '-'],
      ['2026-11-25T22:00:00Z', '2026-11-26T07:00Z'],
      ['2026-11-25T23:59:59Z', '2026-11-26T07:00Z'],
      ['2026-11-26T00:00:00Z', '2026-11-26T07:00Z'],
      ['2026-11-26T06:59:59.999Z', '2026-11-26T07:00Z'],
      ['2026-11-26T07:00:00Z', '-'],
    ],
  );
  const untilMidnight = { days: [3], from: '23:59', to: '00:00' };
  checkAll(
    'UTC',
    [untilMidnight],
    [
      ['2026-11-25T23:58:59Z', '-'],
      ['2026-11-25T23:59:59Z', '2026-11-26T00:00Z'],
      ['2026-11-26T00:00:00Z', '-'],
      ['2026-11-26T23:59:59Z', '-'],
    ],
  );
});

test('a window of a Sunday ends on Monday, and its day is that of its beginning in the zone', () => {
  const sundays = { days: [7], from: '20:00', to: '08:00' };
  checkAll(
    'Asia/Kolkata',
    [sundays],
    [
      ['2026-11-29T14:29:59Z', '-'],
      ['2026-11-29T14:30:00Z', '2026-11-30T02:30Z'],
      ['2026-11-30T02:29:59Z', '2026-11-30T02:30Z'],
      ['2026-11-30T02:30:00Z', '-'],
      ['2026-11-28T20:00:00Z', '-'],
      ['2026-11-30T14:30:00Z', '-'],
    ],
  );
});

test('windows that touch or overlap are one quiet time; others are not', () => {
  const evening = { days: [5], from: '18:00', to: '22:00' };
  const weekend = { days: [6, 7], from: '00:00', to: '23:59' };
  const lunch = { days: [1], from: '12:00', to: '13:00' };
  checkAll(
    'UTC',
    [lunch, weekend, { days: [5, 6, 7], from: '22:00', to: '07:00' }, evening],
    [
      ['2026-11-27T17:59:00Z', '-'],
      ['2026-11-27T18:00:00Z', '2026-11-30T07:00Z'],
      ['2026-11-30T07:00:00Z', '-'],
      ['2026-11-30T12:00:00Z', '2026-11-30T13:00Z'],
    ],
  );
});

test('quiet once: until then, and on to the end of a window that has begun by then', () => {
  const until = Date.parse('2026-11-26T08:00:00Z');
  assert.equal(endAt('UTC', [], '2026-11-25T12:00:00Z', until), '2026-11-26T08:00Z');
  assert.equal(endAt('UTC', [], '2026-11-26T08:00:00Z', until), '-');
  assert.equal(endAt('UTC', [NIGHTS], '2026-11-25T12:00:00Z', until), '2026-11-26T08:00Z');
  const duringNight = Date.parse('2026-12-24T23:00:00Z');
  assert.equal(endAt('UTC', [NIGHTS], '2026-11-25T12:00:00Z', duringNight), '2026-12-25T07:00Z');
  assert.equal(endAt('UTC', [NIGHTS], '2026-11-25T12:00:00Z', 253_402_300_799_999), '+010000-01-01T07:00Z');
});

test('both nights on which the clock changes in Berlin', () => {
  // 2026-03-29: 02:00 to 03:00 is skipped, at 01:00 UTC. 2026-10-25: 02:00 to 03:00 comes twice, the second time from 01:00 UTC on.
  checkAll(
    'Europe/Berlin',
    [NIGHTS],
    [
      ['2026-03-28T21:00:00Z', '2026-03-29T05:00Z'],
      ['2026-10-24T20:00:00Z', '2026-10-25T06:00Z'],
    ],
  );
  const inGap = { days: [7], from: '02:30', to: '03:30' };
  checkAll(
    'Europe/Berlin',
    [inGap],
    [
      ['2026-03-29T00:59:59.999Z', '-'],
      ['2026-03-29T01:00:00Z', '2026-03-29T01:30Z'],
      ['2026-03-29T01:30:00Z', '-'],
    ],
  );
  checkAll(
    'Europe/Berlin',
    [{ days: [7], from: '01:00', to: '02:30' }],
    [
      ['2026-03-29T00:59:59Z', '2026-03-29T01:00Z'],
      ['2026-03-29T01:00:00Z', '-'],
    ],
  );
  checkAll('Europe/Berlin', [{ days: [7], from: '02:10', to: '02:50' }], [['2026-03-29T01:00:00Z', '-']]);
  checkAll(
    'Europe/Berlin',
    [{ days: [7], from: '02:15', to: '02:45' }],
    [
      ['2026-10-25T00:14:59Z', '-'],
      ['2026-10-25T00:15:00Z', '2026-10-25T01:45Z'],
      ['2026-10-25T01:15:00Z', '2026-10-25T01:45Z'],
      ['2026-10-25T01:44:59Z', '2026-10-25T01:45Z'],
      ['2026-10-25T01:45:00Z', '-'],
    ],
  );
});

test('zones whose clock changes by half an hour, or at midnight, or that skipped a day', () => {
  // Lord Howe, 2026-04-05: 01:30 to 02:00 comes twice, from 15:00 UTC on the second time; 2026-10-04: 02:00 to 02:30 is skipped.
  const night = { days: EVERY_DAY, from: '01:45', to: '02:15' };
  checkAll(
    'Australia/Lord_Howe',
    [night],
    [
      ['2026-04-04T14:45:00Z', '2026-04-04T15:45Z'],
      ['2026-04-04T15:15:00Z', '2026-04-04T15:45Z'],
      ['2026-10-03T15:15:00Z', '2026-10-03T15:30Z'],
      ['2026-10-03T15:30:00Z', '-'],
    ],
  );
  // Cairo, 2026-04-24: 00:00 to 01:00 is skipped, at 22:00 UTC.
  checkAll(
    'Africa/Cairo',
    [{ days: [5], from: '00:30', to: '06:00' }],
    [
      ['2026-04-23T21:59:59Z', '-'],
      ['2026-04-23T22:00:00Z', '2026-04-24T03:00Z'],
    ],
  );
  // Samoa had no 2011-12-30, a Friday; its Thursday ended at 10:00 UTC.
  checkAll(
    'Pacific/Apia',
    [{ days: [4], from: '22:00', to: '07:00' }],
    [['2011-12-30T09:00:00Z', '2011-12-30T10:00Z']],
  );
});

test('14 windows that cover the week: quiet for a week at least, by as much work as any other', () => {
  const halves = [
    { from: '00:00', to: '12:00' },
    { from: '12:00', to: '00:00' },
  ];
  const always = EVERY_DAY.flatMap((day) => halves.map((half) => ({ days: [day], ...half })));
  const now = Date.parse('2026-11-25T12:34:56Z');
  const end = quietUntil({ until: 0, time_zone: 'Europe/Berlin', windows: always }, now);
  assert(end !== undefined && end > now + 7 * 86_400_000 && end < now + 9 * 86_400_000);
});

test('a time zone is one by its IANA name; what is none has no windows', () => {
  for (const zone of [
    'Europe/Berlin',
    'europe/berlin',
    'Asia/Kolkata',
    'UTC',
    'Etc/GMT+1',
    'America/Argentina/Ushuaia',
  ])
    assert.equal(isTimeZone(zone), true, zone);
  for (const zone of [
    '',
    ' ',
    'Mars/Olympus',
    '+01:00',
    '-05',
    'Europe',
    'Europe/Berlin\0',
    '柏林',
    'constructor',
    // Its K is the Kelvin sign, whose lower case is a k.
    'Asia/\u212Aolkata',
  ])
    assert.equal(isTimeZone(zone), false, zone);
  assert.equal(endAt('Mars/Olympus', [NIGHTS], '2026-11-25T23:00:00Z'), '-');
  const until = Date.parse('2026-11-26T08:00:00Z');
  assert.equal(endAt('Mars/Olympus', [NIGHTS], '2026-11-25T23:00:00Z', until), '2026-11-26T08:00Z');
});

test('a zone is kept once, in whatever case its name is written', (t) => {
  const { DateTimeFormat } = Intl;
  let made = 0;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct(target, args) {
      made++;
      return Reflect.construct(target, args);
    },
  });
  t.after(() => {
    Intl.DateTimeFormat = DateTimeFormat;
  });
  for (const zone of ['Pacific/Chatham', 'pacific/chatham', 'PACIFIC/CHATHAM'])
    assert.equal(isTimeZone(zone), true, zone);
  assert.equal(made, 1);
});

test('more zones than are kept are all right', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const lowered = zones.map((zone) => zone.toLowerCase());
  assert.ok(zones.length > 300);
  for (const zone of [...zones, ...lowered]) assert.equal(isTimeZone(zone), true, zone);
  assert.equal(endAt(zones[0] ?? '', [NIGHTS], '2026-11-25T23:00:00Z'), '2026-11-26T07:00Z');
});
