import type { ReactNode } from 'react';
import { splitSentence } from '../../../i18n/split-sentence.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import type { PersonView } from '../../contacts/model/views.ts';
import { nameInText } from '../model/display-name.ts';

/** The name for sentences and labels, without marks that would change the direction of the text around it. */
export function useNameInText(person: PersonView): string {
  const texts = useTexts().shell;
  return person.state === 'gone' ? texts.gone : nameInText(person.name);
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
