import { chat } from '../features/chat/chat.zh.ts';
import { people } from '../features/contacts/people.zh.ts';
import type { en } from './en.ts';
import { errors, errorTexts } from './errors.zh.ts';
import { shell } from './shell.zh.ts';

export const zh: typeof en = { shell, errors, errorTexts, chat, people };
