import { lazy, Suspense, useEffect } from 'react';
import { useLocation, useRoute } from 'wouter';
import { useReadable } from '../../data/hooks.ts';
import { useChats } from '../../features/chat/model/hooks.ts';
import { parsePeopleQuery, peoplePath } from '../../features/contacts/model/people-address.ts';
import { chatPath, type PathInfo, SECTION_PATHS } from '../../paths.ts';
import { isNarrow } from '../../ui/controls/pointer.ts';
import { stepFrom } from './conversation-step.ts';
import { shortcutDialog } from './shortcut-dialog.ts';
import { hasAppleKeys, type Shortcut, shortcutOf } from './shortcut-keys.ts';

const GoToDialog = lazy(async () => ({ default: (await import('./go-to-dialog.tsx')).GoToDialog }));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
}));

const closeDialog = () => shortcutDialog.set(undefined);

/** Acts on the keys that work everywhere in the page, and has their dialogs, whose files are loaded when they open. */
export function Shortcuts({ current }: { current: PathInfo }) {
  const { conversations } = useChats();
  const [, navigate] = useLocation();
  const [, params] = useRoute('/chat/:id');
  const dialog = useReadable(shortcutDialog);
  const peer = params?.id;
  useEffect(() => closeDialog, []);
  useEffect(() => {
    const act = (event: KeyboardEvent, shortcut: Shortcut) => {
      switch (shortcut) {
        case 'list':
          if (current.isDeep && !isFieldOfItsOwn(event.target)) toList(current, navigate);
          return;
        case 'go-to':
        case 'help':
          event.preventDefault();
          shortcutDialog.set(shortcut);
          return;
        default: {
          event.preventDefault();
          const next = stepFrom(conversations.getSnapshot(), peer, shortcut);
          if (next !== undefined) navigate(chatPath(next));
        }
      }
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event, typingAt(event.target));
      // A list would take an arrow with Alt as one without, so those keys are taken before; a menu or a search takes its Escape first.
      const isEarly = event.eventPhase === Event.CAPTURING_PHASE;
      const isEarlyKey = event.altKey || event.ctrlKey || event.metaKey;
      if (shortcut === undefined || isEarly !== isEarlyKey || event.defaultPrevented) return;
      if (isEarly) event.stopPropagation();
      if (document.querySelector('dialog[open]') === null) act(event, shortcut);
      // Firefox would go to its own search.
      else if (shortcut === 'go-to') event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown, true);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown, true);
      document.removeEventListener('keydown', onKeyDown);
    };
  }, [conversations, current, navigate, peer]);
  return (
    <Suspense fallback={null}>
      {dialog === 'go-to' && <GoToDialog onClose={closeDialog} />}
      {typeof dialog === 'object' && <GoToDialog shared={dialog.shared} onClose={closeDialog} />}
      {dialog === 'help' && <ShortcutsDialog onClose={closeDialog} />}
    </Suspense>
  );
}

/** Narrow screens show the list in place of the page; on wide ones, the row of what is open gets the focus. */
function toList({ section }: PathInfo, navigate: (path: string) => void): void {
  if (isNarrow()) {
    navigate(section === 'people' ? peoplePath(parsePeopleQuery(location.search)) : SECTION_PATHS[section]);
    return;
  }
  const list = document.querySelector('[data-pane="list"]');
  const target = list?.querySelector<HTMLElement>('[aria-current="page"]') ?? list?.querySelector('h2');
  target?.focus();
}

function typingAt(target: EventTarget | null): Parameters<typeof shortcutOf>[1] {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  const isText = isField && !/^(?:radio|checkbox)$/.test(target.type);
  return { text: isText ? target.value : undefined, hasAppleKeys: hasAppleKeys(navigator.userAgent) };
}

/** A field other than the composer: Escape there is about its text. */
function isFieldOfItsOwn(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea:not([data-composer])');
}
