import type { ReactNode } from 'react';
import { splitSentence } from '../../../i18n/split-sentence.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import type { PersonView } from '../../contacts/model/views.ts';

/** Marks that change the direction of text. A name of one line needs none of them; they only serve to deceive. */
const DIRECTION_MARKS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** The name for sentences and labels, without marks that would change the direction of the text around it. */
export function useNameInText(person: PersonView): string {
  const texts = useTexts().shell;
  if (person.state === 'gone') return texts.gone;
  return person.name.replaceAll(DIRECTION_MARKS, '').trim() || '…';
}

interface SentenceProps {
  /** Makes the sentence from a name. */
  of: (name: string) => string;
  person: PersonView;
}

/** A sentence with a name in it; the direction of the name does not affect the sentence. */
export function Sentence({ of, person }: SentenceProps): ReactNode {
  const name = useNameInText(person);
  const [before, after] = splitSentence(of);
  return (
    <>
      {before}
      <bdi>{person.state === 'gone' ? name : person.name || name}</bdi>
      {after}
    </>
  );
}

/** The same as plain text: the name between the characters "first strong isolate" and "pop directional isolate". */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
