import { useLanguage } from '../../../i18n/texts.tsx';
import { messageParts as en } from './message-parts.en.ts';
import { messageParts as zh } from './message-parts.zh.ts';

/** The texts of what some messages have, which are loaded with it. */
export function useMessagePartsTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
