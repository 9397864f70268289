import { ContextMenu } from '../../../ui/controls/context-menu.tsx';
import { ConversationDialog } from './conversation-dialog.tsx';
import { useConversationMenu, useMenuTexts } from './use-conversation-menu.tsx';

/** A conversation whose menu is open. */
export interface MenuPlace {
  readonly peer: string;
  /** Its row; gets the focus back. */
  readonly row: HTMLElement;
  /** Where it was asked for, in the window. */
  readonly x: number;
  readonly y: number;
}

interface ConversationMenuProps extends MenuPlace {
  onClose: () => void;
}

/** The menu of a conversation at its row, and the dialogs that it leads to. */
export function ConversationMenu({ peer, row, x, y, onClose }: ConversationMenuProps) {
  const texts = useMenuTexts();
  const { items, question, act } = useConversationMenu(peer, onClose);
  if (question) return <ConversationDialog {...{ peer, question, act, onClose }} />;
  return (
    <ContextMenu {...{ items, row, onClose }} label={texts.label} at={{ x, y }} testId="conversation-menu" />
  );
}
