import { Durations } from '../../collections/durations.ts';
import type { FailureWord, RefusalWord } from './push-words.ts';
import { type PushResponse, toPushWord } from './request.ts';

/** The push services of the large browsers, by the ends of their host names. */
const SUFFIXES: readonly (readonly [suffix: string, service: KnownService])[] = [
  ['.googleapis.com', 'google'],
  ['.push.services.mozilla.com', 'mozilla'],
  ['.push.apple.com', 'apple'],
  ['.notify.windows.com', 'microsoft'],
];

/** Any caller may store a subscription and so chooses its host, which is therefore no name of a series. */
type KnownService = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other';

/** Requests to push services, by service and answer, or why nothing was sent. */
export interface PushFigures {
  readonly answers: Map<`${KnownService} ${'accepted' | FailureWord | RefusalWord}`, number>;
  /** From the request to the answer, by service. */
  readonly durations: Durations;
}

export function openPushFigures(): PushFigures {
  return { answers: new Map(), durations: new Durations([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) };
}

/** Counts a request, unless it was withdrawn before a byte was written. */
export function countPush(
  { answers, durations }: PushFigures,
  endpoint: string,
  response: PushResponse,
  ms: number,
): void {
  if (response.kind === 'failed' && response.word === 'withdrawn') return;
  const service = knownServiceOf(endpoint);
  const key = `${service} ${response.kind === 'accepted' ? 'accepted' : toPushWord(response)}` as const;
  answers.set(key, (answers.get(key) ?? 0) + 1);
  durations.add(service, ms / 1000);
}

export function knownServiceOf(endpoint: string): KnownService {
  const host = URL.parse(endpoint)?.hostname ?? '';
  return SUFFIXES.find(([suffix]) => host.endsWith(suffix))?.[1] ?? 'other';
}
