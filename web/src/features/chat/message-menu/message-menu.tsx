import { CopyIcon, PencilIcon, ReplyIcon, ReportIcon, UndoIcon } from '@primer/octicons-react';
import { Suspense, useState } from 'react';
import { useIsOffline, useOwnId } from '../../../data/hooks.ts';
import { useLanguage } from '../../../i18n/texts.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { ContextMenu } from '../../../ui/controls/context-menu.tsx';
import type { MenuItem } from '../../../ui/controls/menu.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { WhileLoading } from '../../../ui/controls/while-loading.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import { usePerson } from '../../contacts/model/hooks.ts';
import { Sentence } from '../../contacts/person/name-in-text.tsx';
import { isChangeable, nameOf, reactionOf } from '../messages/message-changes.ts';
import { useCanWrite } from '../model/hooks.ts';
import type { Thread } from '../model/thread.ts';
import type { MessageView } from '../model/views.ts';
import { messageMenu as en } from './message-menu.en.ts';
import { messageMenu as zh } from './message-menu.zh.ts';
import { QuickReactions } from './quick-reactions.tsx';

const EmojiPicker = lazyView(() => import('../emoji-picker/emoji-picker.tsx'), 'EmojiPicker');
const ReportDialog = lazyView(() => import('../../contacts/report/report-dialog.tsx'), 'ReportDialog');

/** Where the menu of a message is open. */
export interface MenuPlace {
  /** Gets the focus back. */
  readonly row: HTMLElement;
  /** Where it was asked for, in the window. */
  readonly x: number;
  readonly y: number;
}

interface MessageMenuProps extends MenuPlace {
  message: MessageView;
  thread: Thread;
  /** There is a composer for answers and edits. Default: true. */
  hasComposer?: boolean;
  onClose: () => void;
}

/** The menu of a message: reactions, and what can be done with it. */
export function MessageMenu({ message, row, x, y, thread, hasComposer = true, onClose }: MessageMenuProps) {
  const texts = { en, zh }[useLanguage().language];
  const { peer } = thread;
  const person = usePerson(peer);
  const own = useOwnId();
  const isOffline = useIsOffline();
  const canWrite = useCanWrite(peer);
  const toast = useToast();
  const [step, setStep] = useState<'menu' | 'emoji' | 'report' | 'unsend'>('menu');
  const { n, body, isOwn, isUnsent } = message;

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
  if (step === 'report' && n !== undefined)
    return (
      <Suspense fallback={<WhileLoading onEscape={onClose} />}>
        <ReportDialog peer={peer} messages={[{ n, body, picture: message.picture }]} onClose={onClose} />
      </Suspense>
    );
  if (step === 'unsend')
    return (
      <ConfirmDialog
        isOpen
        title={texts.unsendTitle}
        confirm={texts.unsend}
        isDangerous
        onConfirm={() => thread.unsend(nameOf(message))}
        onClose={onClose}
      >
        <Sentence of={texts.unsendSays} person={person} />
      </ConfirmDialog>
    );

  const react = (emoji: string) => {
    onClose();
    if (n !== undefined) thread.react(n, emoji === reactionOf(message, own) ? '' : emoji);
  };
  if (step === 'emoji')
    return (
      <Suspense fallback={<WhileLoading onEscape={onClose} />}>
        <EmojiPicker onChoose={react} onClose={onClose} />
      </Suspense>
    );

  const compose = (start: () => void) => () => {
    onClose();
    start();
  };
  const items: (MenuItem | false)[] = [
    hasComposer &&
      canWrite &&
      n !== undefined && {
        id: 'reply',
        label: texts.reply,
        icon: <ReplyIcon />,
        leads: compose(() => thread.composing.set({ kind: 'reply', key: message.key, text: '' })),
      },
    body !== '' && { id: 'copy', label: texts.copy, icon: <CopyIcon />, leads: () => void copy() },
    hasComposer &&
      canWrite &&
      isChangeable(message) && {
        id: 'edit',
        label: texts.edit,
        icon: <PencilIcon />,
        leads: compose(() => thread.startEdit(message)),
      },
    isChangeable(message) && {
      id: 'unsend',
      label: texts.unsend,
      icon: <UndoIcon />,
      leads: () => setStep('unsend'),
      isDangerous: true,
    },
    !isOwn &&
      n !== undefined && {
        id: 'report-message',
        label: texts.report,
        icon: <ReportIcon />,
        leads: () => setStep('report'),
        isDangerous: true,
        isInactive: isOffline,
      },
  ];
  if (isUnsent) return null;
  return (
    <ContextMenu
      label={texts.label}
      items={items.filter((item) => item !== false)}
      top={
        canWrite &&
        n !== undefined && (
          <QuickReactions
            texts={texts}
            chosen={reactionOf(message, own)}
            onChoose={(emoji) => {
              row.focus({ preventScroll: true });
              react(emoji);
            }}
            onMore={() => {
              row.focus({ preventScroll: true });
              setStep('emoji');
            }}
          />
        )
      }
      at={{ x, y }}
      row={row}
      onClose={onClose}
      testId="message-menu"
    />
  );
}
