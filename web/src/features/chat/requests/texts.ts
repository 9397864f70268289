import { useLanguage } from '../../../i18n/texts.tsx';
import { requests as en } from './requests.en.ts';
import { requests as zh } from './requests.zh.ts';

/** Loaded with the first of the files that show them. */
export function useRequestTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
