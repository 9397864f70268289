import type { PersonView } from '../../contacts/model/views.ts';

/** Without case, width and accents: what a person types without thinking of them. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Whether a part of the name or the username is what was typed. @param typed folded */
export function isNamed({ name, username }: PersonView, typed: string): boolean {
  return fold(name).includes(typed) || fold(username).includes(typed);
}
