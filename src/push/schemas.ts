import { type Static, Type } from 'typebox';
import { codeOf } from '../http/envelope.ts';
import { flag, languageTag, oneOf, text } from '../http/validation.ts';

/** A browser's subscription (interface 2.3); other fields are ignored. */
export const SubscriptionKeys = Type.Object({
  p256dh: text({
    minLength: 1,
    maxLength: 200,
    description: "The client's public key, Base64 of either alphabet",
  }),
  auth: text({
    minLength: 1,
    maxLength: 100,
    description: "The client's auth secret, Base64 of either alphabet",
  }),
});
export const Subscription = Type.Object(
  {
    endpoint: text({ minLength: 1, description: 'URL of the push service for this device' }),
    keys: SubscriptionKeys,
  },
  { description: 'A PushSubscription as the browser makes it' },
);
export type Subscription = Static<typeof Subscription>;

export const SubscribeBody = Type.Object(
  {
    userId: text({ minLength: 1, maxLength: 100 }),
    // Its fields are read by the route, which refuses each with its own text.
    subscription: Type.Union([Type.Unsafe<object>({ type: 'object' }), Type.String()], {
      described: Type.Union([Subscription, Type.String({ description: 'The same, serialized' })]),
    }),
    lang: Type.Optional(languageTag('Language of the notifications')),
  },
  {
    examples: [
      {
        userId: '01980a7e-5b1c-7d60-8f2e-3a9b4c5d6e7f',
        subscription: {
          endpoint: 'https://push.example.net/send/dGhpcyBkZXZpY2U',
          keys: {
            p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            auth: 'BTBZMqHH6r4Tts7J_aSIgg',
          },
        },
        lang: 'en',
      },
    ],
  },
);
export type SubscribeBody = Static<typeof SubscribeBody>;

export const TestSendQuery = Type.Object({
  userId: text({ minLength: 1 }),
  detail: Type.Optional(flag('1: the answer has what each push service answered')),
  device: Type.Optional(
    text({ minLength: 1, description: 'Id of the only device to send to; left out: all' }),
  ),
});

export const ReceiptBody = Type.Object({
  receipt: text({ minLength: 1, maxLength: 100, description: '`doorman.receipt` of the push' }),
  event: oneOf('ReceiptEvent', ['shown', 'clicked']),
});
export type ReceiptBody = Static<typeof ReceiptBody>;

export const PublicKeyAnswer = Type.Object({ code: codeOf(200), publicKey: Type.String() });

/**
 * The answer of a push service; `failed` or `unusable` if nothing could be sent, `waiting` if it is tried again; or why nothing was
 * sent. `already_notified`: the device is unconfirmed, and notified at most once a minute. `unconfirmed`: such a device of an
 * account that has a confirmed one, or had one within 30 days.
 */
const PushLogOutcome = oneOf(
  'PushLogOutcome',
  [
    ...(['accepted', 'gone', 'refused', 'failed', 'unusable', 'waiting'] as const),
    ...(['seen', 'dnd', 'off', 'blocked', 'request', 'quiet', 'muted', 'unsent', 'no_device'] as const),
    ...(['account_closed', 'already_notified'] as const),
    'unconfirmed',
  ],
  {
    description:
      'What the push service answered; failed, unusable or waiting if nothing could be sent; any other word: why nothing was sent',
  },
);
export type PushLogOutcome = Static<typeof PushLogOutcome>;

export const PushLogEntry = Type.Object({
  id: Type.String(),
  at: Type.Integer({ description: 'Epoch milliseconds' }),
  peer: Type.Union([Type.String(), Type.Null()], {
    description: 'Id of the sender of the messages that it is about',
  }),
  device: Type.String({ description: 'Id of the subscription; empty if the entry is about all devices' }),
  device_name: Type.String({
    description:
      "The device's User-Agent at that time; empty if there is none, and for an unconfirmed device",
  }),
  kind: oneOf('PushLogKind', ['message', 'test']),
  outcome: PushLogOutcome,
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: "The push service's answer, if it gave one",
  }),
  reason: Type.String({
    description:
      'One word for why it was not accepted or waits: timeout, tls, connect, private_address, port, protocol, fault, gone, refused, too_large, rate_limited, server_error, keys_unusable, refused_7_days, gave_up_24h, push_service_paused, push_service_refuses, quiet, unconfirmed_rate or removed; empty if the outcome says everything, and in entries of earlier versions',
  }),
  detail: Type.String({
    description:
      'The reason as a sentence for people; for seen, the name of the device on which it was seen, empty if unknown. Programs read reason',
  }),
  waiting_until: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Epoch milliseconds: when it is tried again',
  }),
  shown: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Epoch milliseconds: when the device reported that it showed the notification',
  }),
  clicked: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Epoch milliseconds: when the device reported that it was clicked',
  }),
});
export type PushLogEntry = Static<typeof PushLogEntry>;

/** Interface 4.15 prints the message; `data` comes only with `detail=1`. */
export const TestSent = Type.Object({
  code: codeOf(200),
  message: Type.String(),
  data: Type.Optional(Type.Array(PushLogEntry)),
});
export const NoSubscription = Type.Object({ code: codeOf(404), message: Type.String() });

export const PushDevice = Type.Object({
  id: Type.String(),
  service: Type.String({ description: 'Origin of the push service' }),
  device: Type.String({ description: 'User-Agent of the client' }),
  confirmed: flag("1 if it was stored with the user's own token"),
  current: flag('1 if it belongs to the session of this call'),
  usable: flag('0 if its keys turned out to be invalid'),
  create_time: Type.Integer({ description: 'Epoch milliseconds' }),
});
export type PushDevice = Static<typeof PushDevice>;

const named = text({ minLength: 1 });
/** At least one of both, which the rule checks. */
export const UnsubscribeBody = Type.Object(
  { endpoint: Type.Optional(text()), id: Type.Optional(text()) },
  {
    described: Type.Union([
      Type.Object({ endpoint: named, id: Type.Optional(text()) }),
      Type.Object({ id: named, endpoint: Type.Optional(text()) }),
    ]),
  },
);

/** A row of `push_subscriptions`, as far as it says who is notified. Without a session it is unconfirmed: anyone may have stored it. */
export interface SubscriptionRow {
  id: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  session_id: string | null;
  vapid_public: string;
  user_agent: string;
  /** The language of its notifications, `en` or `zh`; '' if it is not known. */
  language: string;
  created_at: number;
  unusable_since: number | null;
}

export function toPushDevice(row: SubscriptionRow, sessionId: string): PushDevice {
  return {
    id: row.id,
    service: new URL(row.endpoint).origin,
    device: row.user_agent,
    confirmed: row.session_id === null ? 0 : 1,
    current: row.session_id === sessionId ? 1 : 0,
    usable: row.unusable_since === null ? 1 : 0,
    create_time: row.created_at,
  };
}
