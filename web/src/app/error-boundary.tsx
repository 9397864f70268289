import { Button } from '@mantine/core';
import { AlertIcon } from '@primer/octicons-react';
import { Component, type ReactNode } from 'react';
import { useWords } from '../i18n/texts.tsx';
import { EmptyState } from '../ui/list/empty-state.tsx';

interface ErrorBoundaryProps {
  children: ReactNode;
}

/** A part of the page that failed, or a file of it that could not be loaded, leaves the rest standing. */
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
  const words = useWords().shell;
  return (
    <EmptyState
      icon={<AlertIcon size={24} />}
      title={words.crashed}
      action={<Button onClick={() => location.reload()}>{words.reload}</Button>}
    >
      {words.crashedSays}
    </EmptyState>
  );
}
