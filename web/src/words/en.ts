import { chat } from './chat.en.ts';
import { entrance } from './entrance.en.ts';
import { errors, errorTexts } from './errors.en.ts';
import { people } from './people.en.ts';
import { settings } from './settings.en.ts';
import { shell } from './shell.en.ts';

export const en = { shell, entrance, errors, errorTexts, chat, people, settings };

/** Every text of the page; where there are numbers or names, functions of them. */
export type Words = typeof en;
