import type { ReactNode } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import type { PersonView } from '../../contacts/model/views.ts';

/** Marks that turn the direction of text; in a name of one line they have no use but to deceive. */
const TURNING = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;
/** Stands in a sentence where the name goes. */
const PLACE = '\ufffc';

/** The name for sentences and labels, without what could turn the text around it. */
export function useNameInText(person: PersonView): string {
  const texts = useTexts().shell;
  if (person.state === 'gone') return texts.gone;
  return person.name.replaceAll(TURNING, '').trim() || '…';
}

interface SentenceProps {
  /** Makes it of a name. */
  of: (name: string) => string;
  person: PersonView;
}

/** A sentence with a name in it, which stays by itself whatever its direction. */
export function Sentence({ of, person }: SentenceProps): ReactNode {
  const called = useNameInText(person);
  const [before, ...after] = of(PLACE).split(PLACE);
  return (
    <>
      {before}
      <bdi>{person.state === 'gone' ? called : person.name || called}</bdi>
      {after.join('')}
    </>
  );
}

/** The same where only text can stand: between first strong isolate and its end. */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
