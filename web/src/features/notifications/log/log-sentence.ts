import type { PushLogEntry } from 'doorman-client';
import type { Texts } from '../../../i18n/en.ts';
import { fateOf } from './delivery-status.ts';

interface Language {
  readonly texts: Texts['settings'];
  /** A device in words, by its User-Agent or its own word. */
  readonly device: (told: string) => string;
  /** A moment, with its day if that is not the day of the entry. */
  readonly time: (at: number) => string;
}

/** What is shown or clicked later than this after it was sent is worth a time of its own. */
const LATER_MS = 60_000;

/** What became of a notification, in a sentence without its full stop. */
export function logSentence(entry: PushLogEntry, language: Language, now: number): string {
  const { device: nameOf, time } = language;
  const { fates } = language.texts;
  const device = nameOf(entry.device_name);
  const notSent = (reason: string) =>
    entry.device === '' ? fates.notSent(reason) : fates.notSentTo(device, reason);
  const fate = fateOf(entry);
  switch (fate.is) {
    case 'clicked':
    case 'shown': {
      const sentence = fates[fate.is](device);
      return fate.at - entry.at < LATER_MS ? sentence : fates.later(sentence, time(fate.at));
    }
    case 'handed':
      return fates.handed(device);
    case 'waiting':
      return fate.until <= now ? fates.again(device) : fates.waiting[fate.for](device, time(fate.until));
    case 'seen_on':
      return notSent(fates.seenOn(nameOf(fate.on)));
    case 'not_sent':
      return notSent(fates.reasons[fate.reason]);
    case 'test_failed':
      return notSent(fates.reasons[fate.why]);
    case 'unknown':
      return fates.unknown;
  }
}
