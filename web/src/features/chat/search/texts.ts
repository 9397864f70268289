import { useLanguage } from '../../../i18n/texts.tsx';
import { search as en } from './search.en.ts';
import { search as zh } from './search.zh.ts';

/** Loaded with what searches in messages. */
export function useSearchTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
