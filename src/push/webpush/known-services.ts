import { originOf } from './origin.ts';

/** The push services of the large browsers, by the ends of their host names. */
const SUFFIXES: readonly (readonly [suffix: string, service: KnownService])[] = [
  ['.googleapis.com', 'google'],
  ['.push.services.mozilla.com', 'mozilla'],
  ['.push.apple.com', 'apple'],
  ['.notify.windows.com', 'microsoft'],
];

/** For figures: whoever stores a subscription chooses its host, so hosts are no names for them. */
export type KnownService = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other';

export function knownServiceOf(endpoint: string): KnownService {
  const host = URL.parse(originOf(endpoint))?.hostname ?? '';
  return SUFFIXES.find(([suffix]) => host.endsWith(suffix))?.[1] ?? 'other';
}
