import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/controls/dialog.tsx';
import { hasAppleKeys } from './shortcut-keys.ts';
import styles from './shortcuts-dialog.module.css';
import { useShortcutTexts } from './texts.ts';

const PC = { command: 'Ctrl', alt: 'Alt', shift: 'Shift' };
const APPLE = { command: '⌘', alt: '⌥', shift: '⇧' };

/** Lists the keys that work in the page, by their names on this device. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { shell } = useTexts();
  const texts = useShortcutTexts();
  const { command, alt, shift } = hasAppleKeys(navigator.userAgent) ? APPLE : PC;
  const keys: [does: string, ...keys: string[]][] = [
    [texts.goTo, command, 'K'],
    [texts.next, alt, '↓'],
    [texts.previous, alt, '↑'],
    [texts.nextUnread, alt, shift, '↓'],
    [texts.previousUnread, alt, shift, '↑'],
    [texts.toList, 'Esc'],
    [texts.send, 'Enter'],
    [texts.newLine, shift, 'Enter'],
    [texts.help, '?'],
  ];
  return (
    <Dialog isOpen onClose={onClose} title={texts.title} testId="shortcuts">
      <dl className={styles.keys}>
        {keys.map(([does, ...pressed]) => (
          <div key={does}>
            <dt>{does}</dt>
            <dd>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Button variant="default" onClick={onClose} data-testid="close-shortcuts">
        {shell.close}
      </Button>
    </Dialog>
  );
}
