import { en, type Texts } from '../src/i18n/en.ts';
import { type Language, loadSettingsTexts, loadTexts } from '../src/i18n/languages.ts';
import { settings as settingsEn } from '../src/i18n/settings.en.ts';
import { settings as settingsZh } from '../src/i18n/settings.zh.ts';
import { zh } from '../src/i18n/zh.ts';

/** All texts; the functions that a test calls find them loaded. */
export const TEXTS: Record<Language, Texts> = {
  en: { ...en, settings: settingsEn },
  zh: { ...zh, settings: settingsZh },
};

await Promise.all([loadTexts('en'), loadTexts('zh')]);
await loadSettingsTexts();
