import { AlertFillIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import type { MessageState } from '../model/views.ts';
import styles from './message-state-icon.module.css';

type OwnState = Exclude<MessageState, 'theirs'>;

/** The delivery status of an own message: clock, arrow, one tick, two ticks, two coloured ticks; also as text for screen readers. */
export function MessageStateIcon({ state, cid }: { state: OwnState; cid?: string }) {
  const text = useTexts().chat.states[state];
  return (
    <span
      className={styles.mark}
      role="img"
      aria-label={text}
      title={text}
      data-state={state}
      data-testid={cid === undefined ? undefined : `state-${cid}`}
    >
      {DRAWINGS[state]}
    </span>
  );
}

function Drawing({ children }: { children: ReactNode }) {
  return (
    <svg width="18" height="12" viewBox="0 0 18 12" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const ONE_TICK = (
  <Drawing>
    <path d="M4.5 6.5 7.7 9.6 13.8 2.8" />
  </Drawing>
);
const TWO_TICKS = (
  <Drawing>
    <path d="M1.2 6.5 4.4 9.6 10.5 2.8" />
    <path d="m8.3 8.7.9.9 6.1-6.8" />
  </Drawing>
);
const DRAWINGS: Record<OwnState, ReactNode> = {
  waiting: (
    <Drawing>
      <circle cx="9" cy="6" r="4.8" />
      <path d="M9 3.3V6l1.9 1.2" />
    </Drawing>
  ),
  sending: (
    <Drawing>
      <path d="M9 10.2V2.4M5.6 5.4 9 2l3.4 3.4" />
    </Drawing>
  ),
  refused: <AlertFillIcon size={12} />,
  stored: ONE_TICK,
  received: TWO_TICKS,
  read: TWO_TICKS,
};
