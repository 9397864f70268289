import { auth } from '../features/auth/auth.en.ts';
import { chat } from '../features/chat/chat.en.ts';
import { people } from '../features/contacts/people.en.ts';
import { errors, errorTexts } from './errors.en.ts';
import { settings } from './settings.en.ts';
import { shell } from './shell.en.ts';

export const en = { shell, auth, errors, errorTexts, chat, people, settings };

/** Every text of the page; where there are numbers or names, functions of them. */
export type Texts = typeof en;
