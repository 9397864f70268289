import { ChevronDownIcon, ChevronUpIcon } from '@primer/octicons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { LOCALES } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/texts.tsx';
import { chatPath } from '../../../paths.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { VisuallyHidden } from '../../../ui/controls/visually-hidden.tsx';
import { SearchField } from '../../../ui/list/search-field.tsx';
import type { Hit, MessageSearch, MessageSearchView } from './message-search.ts';
import styles from './search.module.css';
import { SearchReach } from './search-reach.tsx';
import { useSearchTexts } from './texts.ts';
import type { useHits } from './use-hits.ts';

interface SearchBarProps {
  peer: string;
  typed: string;
  onType: (text: string) => void;
  view: MessageSearchView;
  search: MessageSearch;
  hits: ReturnType<typeof useHits>;
}

/** The search within a conversation: field, previous and next, which hit is shown, and how far it searched. */
export function SearchBar({ peer, typed, onType, view, search, hits }: SearchBarProps) {
  const { index, onOlder, onNewer } = hits;
  const texts = useSearchTexts();
  const field = useRef<HTMLInputElement>(null);
  const end = useRef<HTMLAnchorElement>(null);
  // It was opened to be typed in.
  useEffect(() => {
    if (field.current?.value === '') field.current.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    // An input method uses these keys too.
    if (event.nativeEvent.isComposing) return;
    // Of a field with a text, Escape clears it.
    if (event.key === 'Escape') end.current?.click();
    else if (event.key === 'Enter') (event.shiftKey ? onNewer : onOlder)?.();
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.bar}>
      <div className={styles.controls}>
        <search>
          <SearchField
            ref={field}
            value={typed}
            onChange={onType}
            onKeyDown={onKeyDown}
            label={texts.inChat}
            hint={texts.inChat}
            testId="chat-search"
          />
        </search>
        <Step label={texts.previous} onStep={onOlder} testId="search-previous">
          <ChevronUpIcon />
        </Step>
        <Step label={texts.next} onStep={onNewer} testId="search-next">
          <ChevronDownIcon />
        </Step>
        <Link ref={end} href={chatPath(peer)} replace className={styles.end} data-testid="search-end">
          {texts.end}
        </Link>
      </div>
      <div className={styles.status} role="status" data-testid="chat-searched">
        <Place view={view} index={index} />
        {typed.trim() !== '' && <SearchReach view={view} search={search} />}
      </div>
    </div>
  );
}

interface StepProps {
  label: string;
  onStep: (() => void) | undefined;
  testId: string;
  children: ReactNode;
}

/** Stays where it is at the last hit, with the focus. */
function Step({ label, onStep, testId, children }: StepProps) {
  return (
    <IconButton
      variant="subtle"
      aria-label={label}
      title={label}
      aria-disabled={!onStep}
      onClick={onStep}
      data-testid={testId}
    >
      {children}
    </IconButton>
  );
}

/** Which hit is shown, of how many. Screen readers also hear its text. */
function Place({ view, index }: { view: MessageSearchView; index: number }) {
  const texts = useSearchTexts();
  const { language } = useLanguage();
  const { hits, q, isLoading, hasMore, failure } = view;
  const toText = (count: number) => new Intl.NumberFormat(LOCALES[language]).format(count);
  if (q === '' || (hits.length === 0 && (isLoading || failure !== undefined))) return null;
  if (hits.length === 0) return <p className={styles.place}>{texts.none}</p>;
  const total = `${toText(hits.length)}${hasMore ? '+' : ''}`;
  return (
    <p className={styles.place}>
      {index < 0 ? texts.results(total) : texts.place(toText(index + 1), total)}
      <HitText hit={hits[index]} />
    </p>
  );
}

function HitText({ hit }: { hit: Hit | undefined }) {
  return hit ? <VisuallyHidden>{`: ${hit.body.slice(0, 160)}`}</VisuallyHidden> : null;
}
