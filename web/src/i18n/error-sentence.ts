import { DoormanError } from 'doorman-client';
import { type Language, LOCALES, TEXTS } from './languages.ts';
import { timesIn } from './times.ts';

/** A kind sentence for whatever went wrong; never what the service or the browser said in its own words. */
export function errorSentence(error: unknown, language: Language): string {
  const { errorTexts } = TEXTS[language];
  if (!(error instanceof DoormanError)) return errorTexts.other;
  if (error.error === 'rate_limited') {
    if (error.retryAfterMs === undefined) return errorTexts.rateLimitedSoon;
    return errorTexts.rateLimited(timesIn(LOCALES[language]).duration(error.retryAfterMs / 1000));
  }
  return errorWordSentence(error.error, language);
}

/** The same for registrations and logins, which the service limits for the address, that is for all users of a network. */
export function entrySentence(error: unknown, language: Language): string {
  if (!(error instanceof DoormanError && error.error === 'rate_limited'))
    return errorSentence(error, language);
  const { networkLimited, networkLimitedSoon } = TEXTS[language].errorTexts;
  if (error.retryAfterMs === undefined) return networkLimitedSoon;
  return networkLimited(timesIn(LOCALES[language]).duration(error.retryAfterMs / 1000));
}

/** The same for a bare word of the envelope, as a refused message carries it. */
export function errorWordSentence(word: string, language: Language): string {
  const { errors, errorTexts } = TEXTS[language];
  if (word === 'rate_limited') return errorTexts.rateLimitedSoon;
  return isKnown(word, errors) ? errors[word] : errorTexts.other;
}

function isKnown<E extends object>(word: string, errors: E): word is keyof E & string {
  return Object.hasOwn(errors, word);
}
