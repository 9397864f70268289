import { isChinese, preferredLanguage } from '../../http/texts/language.ts';

/**
 * The service's own words in notifications: `lang` is their language (BCP 47), `newMessages` names how many messages of one sender are
 * unread, at least 1, `picture` stands before the caption of one, and `somethingNew` is for where neither sender nor count may be named.
 */
const TEXTS = {
  en: {
    lang: 'en',
    newMessages: (count: number) => (count === 1 ? 'New message' : `${count} new messages`),
    picture: (caption: string) => (caption === '' ? 'Picture' : `Picture: ${caption}`),
    somethingNew: 'New messages',
    test: 'Test notification',
  },
  zh: {
    lang: 'zh-CN',
    newMessages: (count: number) => (count === 1 ? '新消息' : `${count} 条新消息`),
    picture: (caption: string) => (caption === '' ? '图片' : `图片：${caption}`),
    somethingNew: '新消息',
    test: '测试通知',
  },
};

/** The languages in which the service has texts for notifications. */
type Language = keyof typeof TEXTS;

/** @param language of the subscription; English if it is not known */
export function pushTexts(language: string): (typeof TEXTS)[Language] {
  return TEXTS[languageOf(language)];
}

/** The language of notifications for a BCP 47 tag: English for every language without texts. */
export function languageOf(tag: string): Language {
  return isChinese(tag) ? 'zh' : 'en';
}

/**
 * The one of our languages that a request accepts most.
 *
 * @param header the value of `Accept-Language` (RFC 9110, 12.5.4); without one, or one of our languages in it: English
 */
export function acceptedLanguage(header?: string): Language {
  return languageOf(preferredLanguage(header, /^(?:en|zh)(?:-|$)/i));
}
