export type Step = 'next' | 'previous' | 'next-unread' | 'previous-unread';
/** What a key does: opens a dialog, moves the focus to the list, or opens another conversation. */
export type Shortcut = 'go-to' | 'help' | 'list' | Step;

type PressedKey = Pick<
  KeyboardEvent,
  'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'isComposing' | 'keyCode'
>;

interface Typing {
  /** The text of the field that has the focus; absent outside of fields. */
  readonly text: string | undefined;
  readonly hasAppleKeys: boolean;
}

/** Apple's keyboards have Command and Option. Also of an iPad, which calls itself a Macintosh. */
export function hasAppleKeys(userAgent: string): boolean {
  return /Macintosh|iPhone|iPad/.test(userAgent);
}

/** The shortcut of a key; none while an input method uses the keys, which in Safari only the key code 229 says. */
export function shortcutOf(pressed: PressedKey, typing: Typing): Shortcut | undefined {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = pressed;
  if (pressed.isComposing || pressed.keyCode === 229) return undefined;
  if (altKey && !ctrlKey && !metaKey) return stepOf(key, shiftKey, typing);
  if (altKey) return undefined;
  const hasCommand = typing.hasAppleKeys ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (hasCommand && !shiftKey && isK(pressed)) return 'go-to';
  if (ctrlKey || metaKey) return undefined;
  if (key === 'Escape' && !shiftKey) return 'list';
  // A Chinese keyboard layout writes the wide one.
  return (key === '?' || key === '？') && typing.text === undefined ? 'help' : undefined;
}

/** On Apple's keyboards, Option and an arrow move through the paragraphs of a text. */
function stepOf(key: string, isUnread: boolean, { text, hasAppleKeys }: Typing): Step | undefined {
  if (hasAppleKeys && text) return undefined;
  if (key === 'ArrowDown') return isUnread ? 'next-unread' : 'next';
  if (key === 'ArrowUp') return isUnread ? 'previous-unread' : 'previous';
  return undefined;
}

/** By its letter, and with another alphabet by its place. */
function isK({ key, code }: PressedKey): boolean {
  return key.toLowerCase() === 'k' || (code === 'KeyK' && !/^[a-z]$/i.test(key));
}
