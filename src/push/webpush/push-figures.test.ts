import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownServiceOf } from './push-figures.ts';

test('a push service is known by the end of its host, and every other one is "other"', () => {
  for (const [endpoint, service] of [
    ['https://fcm.googleapis.com/fcm/send/x', 'google'],
    ['https://updates.push.services.mozilla.com/wpush/v2/x', 'mozilla'],
    ['https://web.push.apple.com/x', 'apple'],
    ['https://wns2-par02p.notify.windows.com/w/?token=x', 'microsoft'],
    ['https://googleapis.com.example.org/x', 'other'],
    ['https://evilgoogleapis.com/x', 'other'],
    ['https://example.org/fcm.googleapis.com', 'other'],
    ['not a URL', 'other'],
  ] as const)
    assert.equal(knownServiceOf(endpoint), service, endpoint);
});
