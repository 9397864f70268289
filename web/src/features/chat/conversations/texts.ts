import { useLanguage } from '../../../i18n/texts.tsx';
import { conversations as en } from './conversations.en.ts';
import { conversations as zh } from './conversations.zh.ts';

/** Loaded with the list of conversations. */
export function useListTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
