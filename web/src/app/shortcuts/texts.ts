import { useLanguage } from '../../i18n/texts.tsx';
import { shortcuts as en } from './shortcuts.en.ts';
import { shortcuts as zh } from './shortcuts.zh.ts';

/** Loaded with the first of the files that show them. */
export function useShortcutTexts(): typeof en {
  return { en, zh }[useLanguage().language];
}
