import { Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { callerOf } from '../http/authenticate.ts';
import { parseObject } from '../http/body.ts';
import { answers, dataAnswer, MessageOnly } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { readFields } from '../http/validation.ts';
import type { Services } from '../services.ts';
import { findUser } from '../users/users.ts';
import { listPushLog } from './log/push-log.ts';
import { saveReceipt } from './log/receipts.ts';
import { openRequestReach } from './request-reach.ts';
import {
  NoSubscription,
  PublicKeyAnswer,
  PushDevice,
  PushLogEntry,
  ReceiptBody,
  SubscribeBody,
  Subscription,
  TestSendQuery,
  TestSent,
  toPushDevice,
  UnsubscribeBody,
} from './schemas.ts';
import { sendTest } from './send/test-send.ts';
import { acceptedLanguage, languageOf } from './send/texts.ts';
import { listSubscriptions, removeSubscription, saveSubscription } from './subscriptions/subscriptions.ts';
import { checkEndpoint, ENDPOINT_WORDS, type EndpointPolicy } from './webpush/endpoint-guard.ts';

/** Text of either Base64 alphabet, padded or not. Text that cannot be decoded fails at the first send, as other invalid keys do. */
const BASE64_TEXT = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

export async function pushRoutes(app: App, services: Services): Promise<void> {
  const { clock, config, db, log, push } = services;
  const { endpointPolicy, receipts, vapidKeys } = push;
  const { now } = clock;

  const reachOf = openRequestReach(endpointPolicy.reach, log);
  const sending = { clock, db, log, push, publicUrl: config.publicUrl };

  app.get('/api/push/public-key', {
    config: { access: 'public' },
    schema: {
      operationId: 'pushKey',
      summary: 'The public key of the service for push subscriptions (RFC 8292)',
      response: answers(PublicKeyAnswer),
    },
    handler: async () => ({ code: 200 as const, publicKey: vapidKeys.publicKey }),
  });

  app.post('/api/push/subscribe', {
    config: { access: 'public' },
    schema: {
      operationId: 'pushSubscribe',
      summary: "Store a browser's push subscription; with the user's token it is confirmed",
      body: SubscribeBody,
      response: answers(
        MessageOnly,
        [400, ...ENDPOINT_WORDS],
        [403, 'forbidden', 'subscription_confirmed'],
        [404, 'user_not_found'],
      ),
    },
    handler: async (request) => {
      const { userId, lang } = request.body;
      const subscription = readSubscription(request.body.subscription, {
        ...endpointPolicy,
        reach: reachOf(request.raw),
      });
      const { caller } = request;
      if (caller && caller.userId !== userId) throw forbidden('The subscription of another user');
      await saveSubscription(db, {
        userId,
        subscription,
        sessionId: caller?.sessionId ?? null,
        vapidPublic: vapidKeys.publicKey,
        device: (request.headers['user-agent'] ?? '').slice(0, 200),
        language:
          lang === undefined ? acceptedLanguage(request.headers['accept-language']) : languageOf(lang),
        now: now(),
      });
      return { code: 200 as const, message: 'Subscription saved successfully' };
    },
  });

  app.get('/api/push/test-send', {
    schema: {
      operationId: 'pushTest',
      summary: "Send a test notification to the user's own devices, or to one of them",
      querystring: TestSendQuery,
      response: answers(
        TestSent,
        400,
        401,
        [403, 'forbidden'],
        [404, NoSubscription],
        [429, 'too_many_test_sends'],
      ),
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { userId, detail, device } = request.query;
      if (userId !== caller.userId && (await findUser(db, userId)))
        throw forbidden('The devices of another user');
      const sent =
        userId === caller.userId
          ? await sendTest({ ...sending, reach: reachOf(request.raw) }, userId, device)
          : undefined;
      if (!sent) return reply.code(404).send({ code: 404 as const, message: 'No push subscription found' });
      const answer = { code: 200 as const, message: 'Test notification sent!' };
      return detail === 1 ? { ...answer, data: sent } : answer;
    },
  });

  // Called by the worker of a page, which has no token. All receipts get the same answer, so it reveals nothing.
  app.post('/api/push/receipt', {
    config: { access: 'public' },
    schema: {
      operationId: 'pushReceipt',
      summary: 'Report that a notification was shown or clicked',
      body: ReceiptBody,
      response: answers(MessageOnly, 400),
    },
    handler: async (request) => {
      const { receipt, event } = request.body;
      const logId = receipts.read(receipt);
      if (logId !== undefined) await saveReceipt(db, logId, event, now());
      return { code: 200 as const, message: 'Receipt taken' };
    },
  });

  app.get('/api/push/log', {
    schema: {
      operationId: 'pushLog',
      summary: "List what became of the user's last 200 notifications, and why some were not sent",
      response: answers(dataAnswer(Type.Array(PushLogEntry)), 401),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await listPushLog(db, callerOf(request).userId),
    }),
  });

  app.get('/api/push/devices', {
    schema: {
      operationId: 'pushDevices',
      summary: 'List the devices that get notifications of the user',
      response: answers(dataAnswer(Type.Array(PushDevice)), 401),
    },
    handler: async (request) => {
      const { userId, sessionId } = callerOf(request);
      const rows = await listSubscriptions(db, userId);
      return { code: 200 as const, data: rows.map((row) => toPushDevice(row, sessionId)) };
    },
  });

  app.post('/api/push/unsubscribe', {
    schema: {
      operationId: 'pushUnsubscribe',
      summary: "Remove one of the user's push subscriptions",
      body: UnsubscribeBody,
      response: answers(MessageOnly, 400, 401, [404, 'subscription_not_found']),
    },
    handler: async (request) => {
      await removeSubscription(db, callerOf(request).userId, request.body);
      return { code: 200 as const, message: 'Subscription removed' };
    },
  });
}

/**
 * Reads a subscription given as an object or serialized (interface 4.14). Keys must be Base64 of either kind; the first
 * send shows whether they are a point of the curve.
 *
 * @throws {ServiceError} `invalid`
 */
function readSubscription(sent: SubscribeBody['subscription'], policy: EndpointPolicy): Subscription {
  const subscription = readFields(Subscription, typeof sent === 'string' ? parseObject(sent) : sent);
  const check = checkEndpoint(subscription.endpoint, policy);
  if (!check.ok) throw new ServiceError('invalid', check.word, check.reason);
  for (const name of ['p256dh', 'auth'] as const)
    if (!BASE64_TEXT.test(subscription.keys[name]))
      throw new ServiceError('invalid', 'invalid_field', `keys.${name} is not Base64`);
  return subscription;
}

function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', 'forbidden', message);
}
