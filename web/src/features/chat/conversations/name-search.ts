import type { PersonView } from '../../contacts/model/views.ts';

/** A text without case, width and accents, which users leave out when they search. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Whether the name or the username contains `typed`. @param typed folded */
export function isNamed({ name, username }: PersonView, typed: string): boolean {
  return fold(name).includes(typed) || fold(username).includes(typed);
}
