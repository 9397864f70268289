import { useTexts } from '../../i18n/texts.tsx';

/** A list that is being loaded, as the shell in the document shows it (shell.css). */
export function ListShell() {
  const texts = useTexts().shell;
  return (
    <div role="status" aria-label={texts.loading} data-testid="waiting">
      <div className="shell-head" />
      <div className="shell-search" />
      {[1, 2, 3, 4, 5].map((row) => (
        <div className="shell-row" key={row} />
      ))}
    </div>
  );
}
