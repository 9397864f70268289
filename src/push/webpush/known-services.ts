import { originOf } from './origin.ts';

/** The push services of the large browsers, by the ends of their host names. */
const SUFFIXES: readonly (readonly [suffix: string, service: KnownService])[] = [
  ['.googleapis.com', 'google'],
  ['.push.services.mozilla.com', 'mozilla'],
  ['.push.apple.com', 'apple'],
  ['.notify.windows.com', 'microsoft'],
];

/** For figures: any caller may store a subscription and so chooses its host, which is therefore no name of a series. */
export type KnownService = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other';

export function knownServiceOf(endpoint: string): KnownService {
  const host = URL.parse(originOf(endpoint))?.hostname ?? '';
  return SUFFIXES.find(([suffix]) => host.endsWith(suffix))?.[1] ?? 'other';
}
