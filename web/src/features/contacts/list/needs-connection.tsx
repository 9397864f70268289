import { CloudOfflineIcon } from '@primer/octicons-react';
import { EmptyState } from '../../../ui/list/empty-state.tsx';

/** In place of what only the service has, while the page is offline. It is loaded when the connection is back. */
export function NeedsConnection({ title }: { title: string }) {
  return <EmptyState icon={<CloudOfflineIcon />} title={title} role="status" testId="needs-connection" />;
}
