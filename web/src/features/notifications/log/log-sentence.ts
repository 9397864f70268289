import type { PushLogEntry } from 'doorman-client';
import type { Texts } from '../../../i18n/en.ts';
import { deliveryStatus } from './delivery-status.ts';

interface Language {
  readonly texts: Texts['settings'];
  /** A readable name of a device, made of its name for itself. */
  readonly device: (name: string) => string;
  /** A time of day, with the day if that is not the day of the entry. */
  readonly time: (at: number) => string;
}

/** The sentence has the time at which a notification was shown or clicked only if that is longer after it was sent. */
const LATER_MS = 60_000;

/** What happened to a notification, as a sentence without its full stop. */
export function logSentence(entry: PushLogEntry, language: Language, now: number): string {
  const { texts, time } = language;
  const { logSentences: sentences } = texts;
  const nameOf = (name: string) => {
    const label = language.device(name);
    return label === texts.unknownDevice ? sentences.unknownDevice : label;
  };
  const device = nameOf(entry.device_name);
  const notSent = (reason: string) =>
    entry.device === '' ? sentences.notSent(reason) : sentences.notSentTo(device, reason);
  const status = deliveryStatus(entry);
  switch (status.is) {
    case 'clicked':
    case 'shown': {
      const sentence = sentences[status.is](device);
      return status.at - entry.at < LATER_MS ? sentence : sentences.later(sentence, time(status.at));
    }
    case 'handed':
      return sentences.handed(device);
    case 'waiting':
      if (status.until > now) return sentences.waiting[status.for](device, time(status.until));
      return entry.device === '' ? sentences.waited : sentences.again(device);
    case 'seen_on':
      return notSent(sentences.seenOn(nameOf(status.on)));
    case 'not_sent':
      return notSent(sentences.reasons[status.reason]);
    case 'test_failed':
      return notSent(sentences.reasons[status.why]);
    case 'unknown':
      return sentences.unknown;
  }
}
