import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, NIGHTS, tomorrowMorning, windowFault } from './quiet-times.ts';

test('nights are one window of all days, in any order; everything else is the user’s own', () => {
  assert.equal(kindOf([]), 'off');
  assert.equal(kindOf([NIGHTS]), 'nights');
  assert.equal(kindOf([{ ...NIGHTS, days: [7, 6, 5, 4, 3, 2, 1] }]), 'nights');
  for (const other of [{ from: '22:30' }, { to: '08:00' }, { days: [1, 2, 3, 4, 5, 6] }])
    assert.equal(kindOf([{ ...NIGHTS, ...other }]), 'own', JSON.stringify(other));
  assert.equal(kindOf([NIGHTS, NIGHTS]), 'own');
});

test('tomorrow is the next day of the calendar, also at the end of a month and before the morning', () => {
  const at = (month: number, day: number, hour: number) => new Date(2026, month - 1, day, hour).getTime();
  assert.equal(tomorrowMorning(at(11, 27, 23)), at(11, 28, 8));
  assert.equal(tomorrowMorning(at(11, 27, 1)), at(11, 28, 8));
  assert.equal(tomorrowMorning(at(12, 31, 12)), new Date(2027, 0, 1, 8).getTime());
});

test('a window needs a day and two times that differ', () => {
  assert.equal(windowFault(NIGHTS), undefined);
  assert.equal(windowFault({ ...NIGHTS, days: [] }), 'daysMissing');
  assert.equal(windowFault({ ...NIGHTS, to: '' }), 'timeMissing');
  assert.equal(windowFault({ ...NIGHTS, to: '22:00' }), 'timesEqual');
});
