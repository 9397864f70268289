import { en, type Texts } from './en.ts';
import { type Language, loadSettingsTexts, loadTexts } from './languages.ts';
import { settings as settingsEn } from './settings.en.ts';
import { settings as settingsZh } from './settings.zh.ts';
import { zh } from './zh.ts';

/** All texts; the functions that a test calls find them loaded. */
export const TEXTS: Record<Language, Texts> = {
  en: { ...en, settings: settingsEn },
  zh: { ...zh, settings: settingsZh },
};

await Promise.all([loadTexts('en'), loadTexts('zh')]);
await loadSettingsTexts();
