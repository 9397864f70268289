import { useEffect, useState } from 'react';
import { useOwnId, useStores } from '../../../data/hooks.ts';
import { emojiKey, isString, list, pack, record, unpack } from '../../../data/persisted-shapes.ts';

const MAX_RECENT = 16;

/** What the user chose before, on this device. */
interface EmojiChoice {
  /** The latest first. */
  readonly recent: readonly string[];
  /** A skin tone; empty for the default. */
  readonly tone: string;
}

const isEmojiChoice = record<EmojiChoice>({ recent: list(isString), tone: isString });
const NOTHING: EmojiChoice = { recent: [], tone: '' };

/** The emoji that the user chose last and their skin tone, stored on the device until they sign out. */
export function useEmojiChoice(): EmojiChoice & { add(emoji: string): void; setTone(tone: string): void } {
  const { storage } = useStores().doorman;
  const own = useOwnId();
  const key = emojiKey(own);
  const [choice, setChoice] = useState(NOTHING);
  useEffect(() => {
    let isOver = false;
    // Without an answer of the storage nothing was chosen.
    const take = (stored: unknown) => {
      if (!isOver) setChoice(unpack(stored, own, isEmojiChoice) ?? NOTHING);
    };
    storage.get(key).then(take, () => {});
    return () => {
      isOver = true;
    };
  }, [storage, key, own]);
  const change = (changed: EmojiChoice) => {
    setChoice(changed);
    storage.set(key, pack(own, changed)).catch(() => {});
  };
  return {
    ...choice,
    add: (emoji) =>
      change({
        ...choice,
        recent: [emoji, ...choice.recent.filter((one) => one !== emoji)].slice(0, MAX_RECENT),
      }),
    setTone: (tone) => change({ ...choice, tone }),
  };
}
