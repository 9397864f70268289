import { useCallback, useMemo } from 'react';
import { useReadable } from '../../../data/hooks.ts';
import { LOCALES } from '../../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { FoundStatus } from '../list/found-status.tsx';
import { fold, isNamed, sortByName } from '../list/name-filter.ts';
import { NoMatch } from '../list/no-match.tsx';
import { PeopleRows } from '../list/people-rows.tsx';
import { useContacts } from '../model/hooks.ts';
import { PersonRow, ROW_REM } from '../person/person-row.tsx';
import styles from './saved-people.module.css';

/** Height of the line above the rows, in rem. */
const NOTE_REM = 3.25;

/** In place of the directory while the service cannot be reached: the users whose names this device has. */
export function SavedPeople({ q, ownId }: { q: string; ownId: string }) {
  const texts = useTexts().people;
  const { language } = useLanguage();
  const known = useReadable(useContacts().people.known);
  const shown = useMemo(
    () =>
      sortByName(
        known.filter((person) => q === '' || (person.id !== ownId && isNamed(person, fold(q)))),
        LOCALES[language],
      ),
    [known, q, ownId, language],
  );
  const idAt = useCallback((index: number) => shown[index]?.id ?? '', [shown]);
  return (
    <>
      <FoundStatus count={q === '' ? undefined : shown.length} />
      <p
        className={styles.note}
        style={{ height: `${NOTE_REM}rem` }}
        role="status"
        data-testid="people-saved"
      >
        {texts.saved}
      </p>
      {shown.length === 0 && <NoMatch />}
      {shown.length > 0 && (
        <PeopleRows label={texts.list} count={shown.length} rowRem={ROW_REM} aboveRem={NOTE_REM} idAt={idAt}>
          {(index, tabs) => {
            const person = shown[index];
            return person && <PersonRow {...person} {...tabs} isOwn={person.id === ownId} isSaved />;
          }}
        </PeopleRows>
      )}
    </>
  );
}
