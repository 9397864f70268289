import { chat } from './chat.zh.ts';
import type { Words } from './en.ts';
import { entrance } from './entrance.zh.ts';
import { errors, errorTexts } from './errors.zh.ts';
import { people } from './people.zh.ts';
import { settings } from './settings.zh.ts';
import { shell } from './shell.zh.ts';

export const zh: Words = { shell, entrance, errors, errorTexts, chat, people, settings };
