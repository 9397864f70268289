import { DoormanError } from 'doorman-client';
import { type Language, LOCALES, textsIn } from './languages.ts';
import { timesIn } from './times.ts';

/** A sentence for users; never the message of the service or the browser. */
export function errorSentence(error: unknown, language: Language): string {
  const { errorTexts } = textsIn(language);
  if (!(error instanceof DoormanError)) return errorTexts.other;
  if (error.error === 'rate_limited') {
    if (error.retryAfterMs === undefined) return errorTexts.rateLimitedSoon;
    return errorTexts.rateLimited(timesIn(LOCALES[language]).duration(error.retryAfterMs / 1000));
  }
  const { reason = '', until = 0 } = error.suspension ?? {};
  const sentence =
    until > 0
      ? errorTexts.suspendedUntil(timesIn(LOCALES[language]).stamp(until))
      : errorWordSentence(error.error, language);
  return reason === '' ? sentence : sentence + errorTexts.reason(reason);
}

/** The same for registrations and logins, whose limit counts the calls of a network address, so of all its users. */
export function entrySentence(error: unknown, language: Language): string {
  if (!(error instanceof DoormanError && error.error === 'rate_limited'))
    return errorSentence(error, language);
  const { networkLimited, networkLimitedSoon } = textsIn(language).auth;
  if (error.retryAfterMs === undefined) return networkLimitedSoon;
  return networkLimited(timesIn(LOCALES[language]).duration(error.retryAfterMs / 1000));
}

/** The same for an error word alone, as a refused message has it. */
export function errorWordSentence(word: string, language: Language): string {
  const { errorTexts, auth, settings, ...texts } = textsIn(language);
  if (word === 'rate_limited') return errorTexts.rateLimitedSoon;
  // Those of some views may not be loaded.
  const errors: Record<string, string> = { ...texts.errors, ...auth?.errors, ...settings?.errors };
  return (Object.hasOwn(errors, word) && errors[word]) || errorTexts.other;
}
