import type { auth } from '../features/auth/auth.en.ts';
import type { links } from '../features/auth/links/links.en.ts';
import { chat } from '../features/chat/chat.en.ts';
import { people } from '../features/contacts/people.en.ts';
import { errors, errorTexts } from './errors.en.ts';
import type { settings } from './settings.en.ts';
import { shell } from './shell.en.ts';

/** Of every view; those of the entrance, of links and of the settings are loaded with them. */
export const en = { shell, errors, errorTexts, chat, people };

/** All texts of the page. A text with numbers or names is a function of them. */
export type Texts = typeof en & { auth: typeof auth; settings: typeof settings; links: typeof links };
