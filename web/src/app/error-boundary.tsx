import { AlertIcon } from '@primer/octicons-react';
import { Component, type ReactNode } from 'react';
import { useTexts } from '../i18n/texts.tsx';
import { Button } from '../ui/controls/button.tsx';
import { EmptyState } from '../ui/list/empty-state.tsx';

interface ErrorBoundaryProps {
  children: ReactNode;
}

/** Shows an error in place of children that fail to render or to load; the rest of the page goes on. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const texts = useTexts().shell;
  return (
    <EmptyState
      icon={<AlertIcon />}
      title={texts.crashed}
      action={<Button onClick={() => location.reload()}>{texts.reload}</Button>}
    >
      {texts.crashedSays}
    </EmptyState>
  );
}
