import { CopyIcon, ReportIcon } from '@primer/octicons-react';
import { type FocusEvent, type KeyboardEvent, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useLanguage } from '../../../i18n/texts.tsx';
import menuStyles from '../../../ui/controls/menu.module.css';
import { entriesOf, MenuEntry, type MenuItem, moveFocus } from '../../../ui/controls/menu.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { MessageView } from '../model/views.ts';
import { messageMenu as en } from './message-menu.en.ts';
import styles from './message-menu.module.css';
import { messageMenu as zh } from './message-menu.zh.ts';

const ReportDialog = lazyView(() => import('../../contacts/report/report-dialog.tsx'), 'ReportDialog');

/** Between the menu and the edges of the window, pixels. */
const MARGIN = 8;

/** A message whose menu is open. */
export interface MenuPlace {
  readonly message: MessageView;
  /** Gets the focus back. */
  readonly row: HTMLElement;
  /** Where it was asked for, in the window. */
  readonly x: number;
  readonly y: number;
}

interface MessageMenuProps extends MenuPlace {
  peer: string;
  onClose: () => void;
}

/** The menu of a message: its text can be copied, and a message of the peer reported. */
export function MessageMenu({ message, row, x, y, peer, onClose }: MessageMenuProps) {
  const texts = { en, zh }[useLanguage().language];
  const isOffline = useIsOffline();
  const toast = useToast();
  const [isReporting, setReporting] = useState(false);
  const { n, body, isOwn } = message;

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(body);
      toast.say(texts.copied);
    } catch {
      // The clipboard is forbidden, or missing outside of https and localhost: the user copies what is selected.
      const text = row.querySelector('[data-key]');
      if (text) getSelection()?.selectAllChildren(text);
    }
    onClose();
  };
  if (isReporting && n !== undefined)
    return (
      <Suspense fallback={null}>
        <ReportDialog peer={peer} messages={[{ n, body }]} onClose={onClose} />
      </Suspense>
    );
  const items: MenuItem[] = [{ id: 'copy', label: texts.copy, icon: <CopyIcon />, leads: () => void copy() }];
  if (!isOwn && n !== undefined)
    items.push({
      id: 'report-message',
      label: texts.report,
      icon: <ReportIcon />,
      leads: () => setReporting(true),
      isDangerous: true,
      isInactive: isOffline,
    });
  return <OpenMenu label={texts.label} items={items} at={{ x, y }} row={row} onClose={onClose} />;
}

interface OpenMenuProps {
  label: string;
  items: readonly MenuItem[];
  at: { x: number; y: number };
  row: HTMLElement;
  onClose: () => void;
}

/** ARIA's menu pattern: arrow keys move the focus; Escape, scrolling, or the focus or the pointer elsewhere closes it. */
function OpenMenu({ label, items, at: { x, y }, row, onClose }: OpenMenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  useLayoutEffect(() => {
    close.current = onClose;
  });
  useLayoutEffect(() => {
    const menu = list.current;
    if (!menu) return;
    menu.showPopover();
    const place = () => {
      const { width, height } = menu.getBoundingClientRect();
      menu.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - width - MARGIN))}px`;
      menu.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - height - MARGIN))}px`;
    };
    place();
    window.addEventListener('resize', place);
    entriesOf(menu)[0]?.focus({ preventScroll: true });
    const closeBeside = ({ target }: Event) => {
      if (target instanceof Node && !menu.contains(target)) close.current();
    };
    const events = ['pointerdown', 'wheel', 'touchmove'];
    for (const event of events) document.addEventListener(event, closeBeside, true);
    return () => {
      window.removeEventListener('resize', place);
      for (const event of events) document.removeEventListener(event, closeBeside, true);
    };
  }, [x, y]);

  const focusRow = () => row.focus({ preventScroll: true });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      focusRow();
      onClose();
    } else if (!moveFocus(event.key, entriesOf(list.current))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !list.current?.contains(relatedTarget) && relatedTarget !== row)
      onClose();
  };
  return (
    <div
      className={`${menuStyles.menu} ${styles.menu}`}
      ref={list}
      popover="manual"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      data-testid="message-menu"
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      {items.map((item) => (
        <MenuEntry key={item.id} item={item} onChosen={focusRow} />
      ))}
    </div>
  );
}
