import { type Language, languageOf } from '../subscriptions/language.ts';

/** The service's own words in notifications. */
interface PushTexts {
  /** The language of the texts, for the notification (BCP 47). */
  readonly lang: string;
  /** How many messages of one sender are unread, at least 1. */
  readonly newMessages: (count: number) => string;
  /** Where neither sender nor count may be named. */
  readonly somethingNew: string;
  readonly test: string;
}

const TEXTS: Record<Language, PushTexts> = {
  en: {
    lang: 'en',
    newMessages: (count) => (count === 1 ? 'New message' : `${count} new messages`),
    somethingNew: 'New messages',
    test: 'Test notification',
  },
  zh: {
    lang: 'zh-CN',
    newMessages: (count) => (count === 1 ? '新消息' : `${count} 条新消息`),
    somethingNew: '新消息',
    test: '测试通知',
  },
};

/** @param language of the subscription; English if it is not known */
export function pushTexts(language: string): PushTexts {
  return TEXTS[languageOf(language)];
}
