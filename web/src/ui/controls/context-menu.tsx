import { type FocusEvent, type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './menu.module.css';
import { entriesOf, MenuEntry, type MenuItem, moveFocus } from './menu.tsx';
import { hasLeft } from './pointer.ts';

/** Between the menu and the edges of the window, pixels. */
const MARGIN = 8;

interface ContextMenuProps {
  label: string;
  items: readonly MenuItem[];
  /** Above the items: further ones. */
  top?: ReactNode;
  /** Where it was asked for, in the window. */
  at: { x: number; y: number };
  /** What the menu is of; it gets the focus back. */
  row: HTMLElement;
  onClose: () => void;
  testId: string;
}

/**
 * The menu of a row at the place that was pressed, above everything. ARIA's menu pattern: arrow keys move the focus; Escape, scrolling,
 * or the focus or the pointer elsewhere closes it.
 */
export function ContextMenu({ label, items, top, at: { x, y }, row, onClose, testId }: ContextMenuProps) {
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
    // Without an entry that can be chosen, the menu still takes Escape.
    (entriesOf(menu)[0] ?? menu).focus({ preventScroll: true });
    const closeBeside = ({ target }: Event) => {
      if (target instanceof Node && !menu.contains(target)) close.current();
    };
    const events = ['pointerdown', 'wheel'];
    // The finger whose long press has opened it is still there.
    const onTouchMove = (event: TouchEvent) => {
      const [touch] = event.touches;
      if (touch && hasLeft(touch, { x, y })) closeBeside(event);
    };
    for (const event of events) document.addEventListener(event, closeBeside, true);
    document.addEventListener('touchmove', onTouchMove, true);
    return () => {
      window.removeEventListener('resize', place);
      for (const event of events) document.removeEventListener(event, closeBeside, true);
      document.removeEventListener('touchmove', onTouchMove, true);
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
      className={`${styles.menu} ${styles.atPoint}`}
      ref={list}
      popover="manual"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      data-testid={testId}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      {top}
      {items.map((item) => (
        <MenuEntry key={item.id} item={item} onChosen={focusRow} />
      ))}
    </div>
  );
}
