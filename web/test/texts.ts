import { auth as authEn } from '../src/features/auth/auth.en.ts';
import { auth as authZh } from '../src/features/auth/auth.zh.ts';
import { links as linksEn } from '../src/features/auth/links/links.en.ts';
import { links as linksZh } from '../src/features/auth/links/links.zh.ts';
import { en, type Texts } from '../src/i18n/en.ts';
import { type Language, loadMoreTexts, loadTexts } from '../src/i18n/languages.ts';
import { settings as settingsEn } from '../src/i18n/settings.en.ts';
import { settings as settingsZh } from '../src/i18n/settings.zh.ts';
import { zh } from '../src/i18n/zh.ts';

/** All texts; the functions that a test calls find them loaded. */
export const TEXTS: Record<Language, Texts> = {
  en: { ...en, auth: authEn, settings: settingsEn, links: linksEn },
  zh: { ...zh, auth: authZh, settings: settingsZh, links: linksZh },
};

await Promise.all([loadTexts('en'), loadTexts('zh')]);
await loadMoreTexts('auth', 'links', 'settings');
