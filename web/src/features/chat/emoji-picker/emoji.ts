import { EMOJI_TABLE, type EmojiGroup } from './emoji-table.ts';

/** One emoji of the picker. */
interface Emoji {
  /** Without a skin tone. */
  readonly emoji: string;
  readonly group: EmojiGroup;
  /** Its name in each language. */
  readonly name: { readonly en: string; readonly zh: string };
  /** What it is found by, in both languages. */
  readonly words: string;
}

/** The default, then from light to dark. */
export const TONES = ['', '🏻', '🏼', '🏽', '🏾', '🏿'] as const;

/** All of the table, in its order. */
export const EMOJI: readonly Emoji[] = Object.entries(EMOJI_TABLE).flatMap(([group, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [emoji = ''] = line.split(' ', 1);
      const words = line.slice(emoji.length + 1);
      const [en = '', zh = ''] = words.split('|');
      const nameOf = (all: string) => all.split(',', 1)[0] ?? '';
      // The groups are the keys of the table.
      return { emoji, group: group as EmojiGroup, name: { en: nameOf(en), zh: nameOf(zh) }, words };
    }),
);

/** Those that have all words of the text, in either language; those whose name begins with it come first. */
export function findEmoji(text: string): readonly Emoji[] {
  const sought = text.trim().toLowerCase();
  const parts = sought.split(/\s+/);
  const found = EMOJI.filter(({ emoji, words }) =>
    parts.every((part) => emoji === part || words.toLowerCase().includes(part)),
  );
  const isFirst = ({ name }: Emoji) => name.en.startsWith(sought) || name.zh.startsWith(sought);
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))];
}

/** With a skin tone, where Unicode has one for it. @param tone one of `TONES` */
export function withTone(emoji: string, tone: string): string {
  const [first = ''] = emoji;
  if (tone === '' || !/^\p{EBase}$/u.test(first)) return emoji;
  return first + tone + emoji.slice(first.length).replace('\ufe0f', '');
}
