import type { Durations } from '../../db/durations.ts';
import type { PushClient } from './client.ts';
import { type KnownService, knownServiceOf } from './known-services.ts';
import type { FailureWord, RefusalWord } from './push-words.ts';
import { type PushResponse, toPushWord } from './request.ts';

/** The answer of a push service, or why nothing was sent. */
type PushAnswer = 'accepted' | FailureWord | RefusalWord;

/** Requests to push services, by service and answer. */
export interface PushFigures {
  readonly answers: Map<`${KnownService} ${PushAnswer}`, number>;
  /** From the request to the answer, by service. */
  readonly durations: Durations;
}

/** The same client, with each request counted, except those that were withdrawn before a byte was written. */
export function measurePushes(client: PushClient, { answers, durations }: PushFigures): PushClient {
  function count(service: KnownService, response: PushResponse, ms: number): void {
    if (response.kind === 'failed' && response.word === 'withdrawn') return;
    const key = `${service} ${response.kind === 'accepted' ? 'accepted' : toPushWord(response)}` as const;
    answers.set(key, (answers.get(key) ?? 0) + 1);
    durations.add(service, ms / 1000);
  }

  return {
    get openOrigins() {
      return client.openOrigins;
    },
    async send(request) {
      const startedAt = performance.now();
      const response = await client.send(request);
      count(knownServiceOf(request.endpoint), response, performance.now() - startedAt);
      return response;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
