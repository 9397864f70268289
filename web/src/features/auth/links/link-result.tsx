import { type ReactNode, useEffect, useRef } from 'react';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import styles from '../auth-page.module.css';

interface LinkResultProps {
  /** `set` and `done`: what the user wanted has happened. `missing`: the address has no token, as after a reload. */
  state: 'set' | 'done' | 'invalid' | 'missing';
  /** A sentence. */
  says: string;
  /** Below it. */
  children?: ReactNode;
}

/** What came of a form, in its place; it takes the focus of the form. */
export function LinkResult({ state, says, children }: LinkResultProps) {
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => own.current?.focus(), []);
  return (
    <div ref={own} className={styles.result} tabIndex={-1} data-testid={`link-${state}`}>
      {state === 'set' || state === 'done' ? (
        <p role="status">{says}</p>
      ) : (
        <ErrorText error={state} sentence={() => says} />
      )}
      {children}
    </div>
  );
}
