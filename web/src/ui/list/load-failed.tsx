import { AlertIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../controls/button.tsx';
import { EmptyState } from './empty-state.tsx';

interface LoadFailedProps {
  title: string;
  /** Why. */
  children: ReactNode;
  onRetry: () => void;
}

/** In place of what could not be loaded, with a button to try again. */
export function LoadFailed({ title, children, onRetry }: LoadFailedProps) {
  const action = (
    <Button onClick={onRetry} data-testid="retry-loading">
      {useTexts().shell.retry}
    </Button>
  );
  return (
    <EmptyState role="alert" icon={<AlertIcon />} title={title} action={action}>
      {children}
    </EmptyState>
  );
}
