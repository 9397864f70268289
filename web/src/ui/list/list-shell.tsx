import { useTexts } from '../../i18n/texts.tsx';
import { PageHeader } from '../page/page-header.tsx';

/** A list that is being loaded: its title, and below it what the shell in the document shows (shell.css). */
export function ListShell({ title }: { title: string }) {
  const texts = useTexts().shell;
  return (
    <div aria-busy="true" data-testid="waiting">
      <PageHeader title={title} isWaiting />
      <div role="status" aria-label={texts.loading}>
        <div className="shell-search" />
        {[1, 2, 3, 4, 5].map((row) => (
          <div className="shell-row" key={row} />
        ))}
      </div>
    </div>
  );
}
