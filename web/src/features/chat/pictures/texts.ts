import { useLanguage } from '../../../i18n/texts.tsx';
import { pictures as en } from './pictures.en.ts';
import { pictures as zh } from './pictures.zh.ts';

/** The texts of pictures, which are loaded with what shows them. */
export function usePictureTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
