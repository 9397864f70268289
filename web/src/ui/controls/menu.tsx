import { KebabHorizontalIcon } from '@primer/octicons-react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Link } from 'wouter';
import { IconButton } from './button.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  /** Also its `data-testid`, as `menu-<id>`. */
  id: string;
  label: string;
  icon: ReactNode;
  /** A path, or an action. */
  leads: string | (() => void);
  isDangerous?: boolean;
  /** For an action. */
  isInactive?: boolean;
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  /** Its file was loaded as its button was pressed. */
  isOpenAtFirst?: boolean;
}

/** A button with a menu, by ARIA's menu button pattern: arrow keys move the focus; Escape, or the focus elsewhere, closes it. */
export function Menu({ label, items, isOpenAtFirst = false }: MenuProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  // Before another key comes: the focus has no other place, as the file of the menu may have replaced its button.
  useLayoutEffect(() => {
    if (!isOpen) return;
    entriesOf(list.current)[0]?.focus();
    const closeBeside = ({ target }: PointerEvent) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeBeside, true);
    return () => document.removeEventListener('pointerdown', closeBeside, true);
  }, [isOpen]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') close();
    else if (!moveFocus(event.key, entriesOf(list.current))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget instanceof Node && !root.current?.contains(relatedTarget)) setOpen(false);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the button and the menu inside.
    <div className={styles.root} ref={root} onKeyDown={onKeyDown} onBlur={onBlur}>
      <IconButton
        ref={button}
        variant="subtle"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        data-testid="menu"
        onClick={() => setOpen((before) => !before)}
      >
        <KebabHorizontalIcon />
      </IconButton>
      {isOpen && (
        <div className={styles.menu} ref={list} role="menu" aria-label={label}>
          {items.map((item) => (
            <MenuEntry key={item.id} item={item} onChosen={close} />
          ))}
        </div>
      )}
    </div>
  );
}

export function MenuEntry({ item, onChosen }: { item: MenuItem; onChosen: () => void }) {
  const { id, label, icon, leads, isDangerous, isInactive } = item;
  const shared = {
    className: styles.item,
    role: 'menuitem',
    tabIndex: -1,
    'data-dangerous': isDangerous || undefined,
    'data-testid': `menu-${id}`,
  };
  if (typeof leads === 'string')
    return (
      <Link href={leads} {...shared}>
        {icon}
        <span>{label}</span>
      </Link>
    );
  return (
    <button
      type="button"
      {...shared}
      disabled={isInactive}
      onClick={() => {
        // Before the action, so that a dialog that it opens gives the focus back to the button.
        onChosen();
        leads();
      }}
    >
      {icon}
      <span>{label}</span>
    </button>
  );
}

export function entriesOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)') ?? [])];
}

/** @returns whether the key is one that moves */
export function moveFocus(key: string, all: readonly HTMLElement[]): boolean {
  const at = all.findIndex((entry) => entry.matches(':focus'));
  const steps: Record<string, number> = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: at <= 0 ? all.length - 1 : at - 1,
    Home: 0,
    End: all.length - 1,
  };
  const next = steps[key];
  if (next === undefined) return false;
  all[next]?.focus();
  return true;
}
