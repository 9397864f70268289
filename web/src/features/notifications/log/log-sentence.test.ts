import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushLogEntry, PushLogOutcome } from 'doorman-client';
import { TEXTS } from '../../../../test/texts.ts';
import type { Language } from '../../../i18n/languages.ts';
import { deliveryStatus, technicalDetail } from './delivery-status.ts';
import { logSentence } from './log-sentence.ts';

const AT = Date.UTC(2026, 10, 21, 14, 3);
const MINUTE_MS = 60_000;

function entry(fields: Partial<PushLogEntry>): PushLogEntry {
  return {
    id: '0199',
    at: AT,
    peer: 'ada',
    device: 'd1',
    device_name: 'Firefox',
    kind: 'message',
    outcome: 'accepted',
    status: null,
    reason: '',
    detail: '',
    waiting_until: null,
    shown: null,
    clicked: null,
    ...fields,
  };
}

function say(fields: Partial<PushLogEntry>, language: Language, now = AT): string {
  const texts = TEXTS[language].settings;
  const device = (name: string) => name || texts.unknownDevice;
  const time = (at: number) => `+${(at - AT) / MINUTE_MS}`;
  return logSentence(entry(fields), { texts, device, time }, now);
}

const UNTIL = AT + 5 * MINUTE_MS;
const NO_DEVICE = { device: '', device_name: '' };

/** The entries that the service writes (src/push), by outcome, and their sentences. */
const ALL: Record<PushLogOutcome, [fields: Partial<PushLogEntry>, en: string, zh: string][]> = {
  accepted: [
    [{ status: 201 }, 'Sent to Firefox, not confirmed as shown', '已发给 Firefox，尚未确认是否显示'],
    [{ shown: AT + 900 }, 'Shown on Firefox', '已在 Firefox 显示'],
    [{ shown: AT + 7 * MINUTE_MS }, 'Shown on Firefox (+7)', '已在 Firefox 显示（+7）'],
    [{ shown: AT, clicked: AT + 3_000 }, 'Opened on Firefox', '已在 Firefox 点开'],
  ],
  waiting: [
    [
      { waiting_until: UNTIL, status: 429, reason: 'rate_limited', detail: 'rate_limited' },
      'Waiting until +5: the push service of Firefox asked for a pause',
      '等到 +5：Firefox 的推送服务要求暂缓',
    ],
    [
      { waiting_until: UNTIL, reason: 'push_service_paused', detail: 'its push service said so' },
      'Waiting until +5: the push service of Firefox asked for a pause',
      '等到 +5：Firefox 的推送服务要求暂缓',
    ],
    [
      { waiting_until: UNTIL, reason: 'unconfirmed_rate', detail: 'unconfirmed: at most once a minute' },
      'Waiting until +5: Firefox isn’t confirmed and is notified at most once a minute',
      '等到 +5：Firefox 未确认，每分钟最多提醒一次',
    ],
    [
      { waiting_until: UNTIL, status: 502, reason: 'server_error', detail: 'server_error' },
      'The push service of Firefox couldn’t be reached, next try at +5',
      '无法连接 Firefox 的推送服务，将在 +5 重试',
    ],
    [
      { waiting_until: UNTIL, reason: 'timeout', detail: 'timeout' },
      'The push service of Firefox couldn’t be reached, next try at +5',
      '无法连接 Firefox 的推送服务，将在 +5 重试',
    ],
    [
      { waiting_until: UNTIL, status: 403, reason: 'refused', detail: 'refused' },
      'The push service of Firefox rejected it, next try at +5',
      'Firefox 的推送服务拒绝了，将在 +5 重试',
    ],
    [
      {
        waiting_until: UNTIL,
        reason: 'push_service_refuses',
        detail: 'its push service refuses us at the moment',
      },
      'The push service of Firefox rejected it, next try at +5',
      'Firefox 的推送服务拒绝了，将在 +5 重试',
    ],
    [
      { waiting_until: UNTIL, reason: 'private_address', detail: 'private_address' },
      'The push service of Firefox rejected it, next try at +5',
      'Firefox 的推送服务拒绝了，将在 +5 重试',
    ],
    [
      { ...NO_DEVICE, waiting_until: UNTIL, reason: 'quiet', detail: 'until the quiet hours end' },
      'It waits for the end of your quiet hours, at +5',
      '等待你的安静时段结束（+5）',
    ],
    [
      {
        ...NO_DEVICE,
        waiting_until: AT - 5 * MINUTE_MS,
        reason: 'quiet',
        detail: 'until the quiet hours end',
      },
      'It waited for the end of your quiet hours',
      '曾等待你的安静时段结束',
    ],
    [{ waiting_until: AT - 1 }, 'Sending to Firefox again', '正在重新发给 Firefox'],
  ],
  gone: [
    [
      { status: 410, reason: 'gone', detail: 'gone' },
      'Not sent to Firefox: its subscription is no longer valid, so it was removed',
      '未发给 Firefox：订阅已失效，设备已被移除',
    ],
    [
      { status: 403, reason: 'refused_7_days', detail: 'refused for 7 days: refused' },
      'Not sent to Firefox: its push service rejected it for 7 days, so it was removed',
      '未发给 Firefox：推送服务连续 7 天拒绝，设备已被移除',
    ],
    [
      { reason: 'removed', detail: 'the device was removed' },
      'Not sent to Firefox: it was removed before the notification was sent',
      '未发给 Firefox：通知发出前设备已被移除',
    ],
  ],
  refused: [
    [
      { kind: 'test', peer: null, status: 400, reason: 'refused', detail: 'refused' },
      'Not sent to Firefox: its push service rejected it',
      '未发给 Firefox：推送服务拒绝了',
    ],
    [
      { kind: 'test', peer: null, status: 429 },
      'Not sent to Firefox: its push service was busy or had problems',
      '未发给 Firefox：推送服务太忙或出了故障',
    ],
    [
      { kind: 'test', peer: null, status: 500 },
      'Not sent to Firefox: its push service was busy or had problems',
      '未发给 Firefox：推送服务太忙或出了故障',
    ],
  ],
  failed: [
    [
      { reason: 'gave_up_24h', detail: 'given up after 24 hours' },
      'Not sent to Firefox: it couldn’t be reached for 24 hours',
      '未发给 Firefox：24 小时内都无法送达',
    ],
    [
      { kind: 'test', peer: null, reason: 'timeout', detail: 'timeout' },
      'Not sent to Firefox: its push service didn’t respond in time',
      '未发给 Firefox：推送服务没有及时回应',
    ],
    [
      { kind: 'test', peer: null, reason: 'private_address', detail: 'private_address' },
      'Not sent to Firefox: its push service is on a private network',
      '未发给 Firefox：推送服务位于内部网络',
    ],
    [
      { reason: 'port', detail: 'port' },
      'Not sent to Firefox: its push service is on a port that isn’t allowed here',
      '未发给 Firefox：推送服务使用的端口不被允许',
    ],
    [
      { kind: 'test', peer: null, reason: 'port', detail: 'port' },
      'Not sent to Firefox: its push service is on a port that isn’t allowed here',
      '未发给 Firefox：推送服务使用的端口不被允许',
    ],
    [
      { kind: 'test', peer: null, reason: 'tls', detail: 'tls' },
      'Not sent to Firefox: its push service couldn’t be reached',
      '未发给 Firefox：无法连接推送服务',
    ],
  ],
  unusable: [
    [
      { reason: 'keys_unusable', detail: 'keys_unusable' },
      'Not sent to Firefox: its keys don’t work',
      '未发给 Firefox：密钥无法使用',
    ],
  ],
  seen: [
    [
      { ...NO_DEVICE, detail: 'Safari' },
      'Not sent: it was already shown on Safari',
      '未发送：消息已在 Safari 上显示',
    ],
    [{ ...NO_DEVICE }, 'Not sent: it was already shown', '未发送：消息已显示'],
    [
      { detail: 'Safari' },
      'Not sent to Firefox: it was already shown on Safari',
      '未发给 Firefox：消息已在 Safari 上显示',
    ],
  ],
  dnd: [[NO_DEVICE, 'Not sent: do not disturb was on', '未发送：当时开启了免打扰']],
  off: [[NO_DEVICE, 'Not sent: notifications were turned off', '未发送：当时关闭了通知']],
  blocked: [[NO_DEVICE, 'Not sent: you blocked this person', '未发送：你已屏蔽对方']],
  request: [[NO_DEVICE, 'Not sent: it waited among your message requests', '未发送：消息在陌生人消息中等待']],
  quiet: [[NO_DEVICE, 'Not sent: it came in your quiet hours', '未发送：消息在安静时段内到达']],
  muted: [[NO_DEVICE, 'Not sent: you muted this conversation', '未发送：该会话已静音']],
  unsent: [[NO_DEVICE, 'Not sent: the message was unsent', '未发送：消息已撤回']],
  no_device: [[NO_DEVICE, 'Not sent: none of your devices has notifications on', '未发送：没有设备开启通知']],
  account_closed: [[NO_DEVICE, 'Not sent: the account was closed', '未发送：账号已停用']],
  already_notified: [
    [
      { device_name: '' },
      'Not sent to an unknown device: it had just been notified of something new',
      '未发给 未知设备：刚刚已提醒过有新消息',
    ],
  ],
  unconfirmed: [
    [
      { device_name: '' },
      'Not sent to an unknown device: it was set up without signing in, and this account has or recently had devices of its own',
      '未发给 未知设备：它添加时没有登录，而你的账号有或最近有过自己的设备',
    ],
  ],
};

for (const [word, cases] of Object.entries(ALL))
  test(`${word} has a sentence in both languages`, () => {
    const outcome = word as PushLogOutcome; // the keys of ALL
    for (const [fields, en, zh] of cases) {
      assert.deepEqual([say({ outcome, ...fields }, 'en'), say({ outcome, ...fields }, 'zh')], [en, zh]);
      // The details of the service are in no sentence.
      const { detail = '', status = null } = fields;
      if (outcome !== 'seen' && !['', 'port', 'refused'].includes(detail))
        assert.ok(!en.includes(detail), en);
      if (status !== null) assert.ok(!en.includes(String(status)), en);
    }
  });

test('a word of a newer service is only in the details', () => {
  const outcome = 'teleported' as PushLogOutcome; // a later version may add values
  const newer = entry({ outcome, status: 218, detail: 'by beam' });
  assert.deepEqual(deliveryStatus(newer), { is: 'unknown' });
  assert.equal(say({ outcome }, 'en'), 'Unknown event');
  assert.equal(technicalDetail(newer), 'HTTP 218 · teleported · by beam');
});

test('the details have the answer of the push service', () => {
  assert.equal(
    technicalDetail(entry({ outcome: 'gone', status: 410, detail: 'no more' })),
    'HTTP 410 · no more',
  );
  assert.equal(technicalDetail(entry({ status: 201 })), 'HTTP 201');
  assert.equal(technicalDetail(entry({ status: 201, shown: AT })), '');
  assert.equal(technicalDetail(entry({ outcome: 'seen', detail: 'Safari' })), '');
  assert.equal(technicalDetail(entry({ outcome: 'dnd' })), '');
});
