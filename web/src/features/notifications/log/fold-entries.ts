import type { PushLogEntry } from 'doorman-client';

/** Neighbouring entries of one day that say the same about the same person. */
export interface Fold {
  /** The id of the first entry; it stays while later ones join. */
  readonly key: string;
  readonly sentence: string;
  readonly latest: PushLogEntry;
  /** All of them, the latest first. */
  readonly entries: readonly PushLogEntry[];
}

/**
 * Folds neighbours that read the same into one.
 *
 * @param entries of one day, the latest first
 * @param say the sentence of an entry; it names the device
 */
export function foldEntries(
  entries: readonly PushLogEntry[],
  say: (entry: PushLogEntry) => string,
): readonly Fold[] {
  const folds: Fold[] = [];
  for (const entry of entries) {
    const sentence = say(entry);
    const fold = folds.at(-1);
    const isAboutSame = fold?.latest.peer === entry.peer && fold.latest.kind === entry.kind;
    if (fold && fold.sentence === sentence && isAboutSame)
      folds[folds.length - 1] = { ...fold, key: entry.id, entries: [...fold.entries, entry] };
    else folds.push({ key: entry.id, sentence, latest: entry, entries: [entry] });
  }
  return folds;
}
