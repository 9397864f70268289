import { DoormanError } from './errors.ts';

const HALF_PAIR = /\p{Surrogate}/gu;

/** Whether a string, also one inside an object, contains what the service accepts nowhere: U+0000, or half a surrogate pair. */
export function hasBadText(value: unknown): boolean {
  if (typeof value === 'string') return value !== withoutBadText(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasBadText);
}

export function withoutBadText(text: string): string {
  return text.replaceAll('\0', '').replaceAll(HALF_PAIR, '');
}

export function badText(): DoormanError {
  return new DoormanError(400, 'bad_text', 'Text with U+0000 or half a surrogate pair');
}
