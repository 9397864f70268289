import { useMemo } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { useOwnId } from '../../../data/hooks.ts';
import { ListRow } from '../../../ui/list/list-row.tsx';
import { Clipped, ClippedLine, PersonName } from '../../../ui/person/name.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import { usePerson } from '../../contacts/model/hooks.ts';
import { chatSearchPath } from '../model/search-address.ts';
import { FoundSection } from './found-section.tsx';
import { excerptOf, partsOf } from './found-text.ts';
import type { Hit, MessageSearch, MessageSearchView } from './message-search.ts';
import styles from './search.module.css';
import { SearchReach } from './search-reach.tsx';
import { useSearchTexts } from './texts.ts';

interface MessageHitsProps {
  view: MessageSearchView;
  search: MessageSearch;
}

/** The messages that a search has found, each with its conversation; a row opens the conversation there. */
export function MessageHits({ view, search }: MessageHitsProps) {
  const texts = useSearchTexts();
  const hits = useMemo(() => new Map(view.hits.map((hit) => [`${hit.peer} ${hit.n}`, hit])), [view.hits]);
  const ids = useMemo(() => [...hits.keys()], [hits]);
  const parts = useMemo(() => partsOf(view.q), [view.q]);
  return (
    <FoundSection
      title={texts.messages}
      ids={ids}
      end={
        <div role="status" data-testid="messages-searched">
          {ids.length === 0 && !view.isLoading && <p className={styles.reach}>{texts.none}</p>}
          <SearchReach view={view} search={search} />
        </div>
      }
    >
      {(id, tabs) => {
        const hit = hits.get(id);
        return hit && <HitRow hit={hit} q={view.q} parts={parts} tabs={tabs} />;
      }}
    </FoundSection>
  );
}

interface HitRowProps {
  hit: Hit;
  q: string;
  parts: readonly string[];
  tabs: RowTabs;
}

function HitRow({ hit, q, parts, tabs }: HitRowProps) {
  const { peer, n, from, at, body } = hit;
  const texts = useSearchTexts();
  const own = useOwnId();
  const person = usePerson(peer);
  const href = chatSearchPath(peer, q, n);
  const isShown = location.pathname + useSearch() === href;
  const excerpt = <Excerpt body={body} parts={parts} />;
  return (
    <ListRow
      href={href}
      isSelected={isShown}
      tabIndex={tabs.tabIndex}
      start={<PersonAvatar person={person} size={44} />}
      title={<PersonName person={person} />}
      aside={<TimeText at={at} as="brief" />}
      below={
        from === own ? (
          <ClippedLine>
            <span>{texts.you}</span>
            {excerpt}
          </ClippedLine>
        ) : (
          excerpt
        )
      }
      testId={`hit-${peer}-${n}`}
    />
  );
}

function Excerpt({ body, parts }: { body: string; parts: readonly string[] }) {
  return (
    <Clipped>
      {excerptOf(body, parts).map(({ text, isMarked }, i) =>
        isMarked ? (
          // The pieces of an excerpt never change.
          <mark key={i} className={styles.mark}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </Clipped>
  );
}
