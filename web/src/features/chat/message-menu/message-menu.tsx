import { CopyIcon, ReportIcon } from '@primer/octicons-react';
import { Suspense, useState } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useLanguage } from '../../../i18n/texts.tsx';
import { ContextMenu } from '../../../ui/controls/context-menu.tsx';
import type { MenuItem } from '../../../ui/controls/menu.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { MessageView } from '../model/views.ts';
import { messageMenu as en } from './message-menu.en.ts';
import { messageMenu as zh } from './message-menu.zh.ts';

const ReportDialog = lazyView(() => import('../../contacts/report/report-dialog.tsx'), 'ReportDialog');

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
  return (
    <ContextMenu
      label={texts.label}
      items={items}
      at={{ x, y }}
      row={row}
      onClose={onClose}
      testId="message-menu"
    />
  );
}
