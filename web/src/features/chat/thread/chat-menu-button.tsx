import { KebabHorizontalIcon } from '@primer/octicons-react';
import { type KeyboardEvent, Suspense, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { IconButton } from '../../../ui/controls/button.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { ChatMenuProps } from './chat-menu.tsx';

const ChatMenu = lazyView(() => import('./chat-menu.tsx'), 'ChatMenu');

/** The button of `ChatMenu`, whose file is loaded when it is pressed first. Meanwhile it keeps the focus, and Escape takes the press back. */
export function ChatMenuButton(props: ChatMenuProps) {
  const { more } = useTexts().chat;
  const [menu, setMenu] = useState<'closed' | 'loading' | 'loaded'>('closed');
  const open = () => {
    setMenu('loading');
    const show = () => setMenu((now) => (now === 'loading' ? 'loaded' : now));
    // After a failure the view reports it.
    void ChatMenu.load().then(show, show);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || menu !== 'loading') return;
    setMenu('closed');
    event.stopPropagation();
  };
  if (menu === 'loaded')
    return (
      <Suspense>
        <ChatMenu {...props} />
      </Suspense>
    );
  return (
    <IconButton
      variant="subtle"
      aria-label={more}
      title={more}
      aria-haspopup="menu"
      aria-expanded={false}
      data-testid="menu"
      onClick={open}
      onKeyDown={onKeyDown}
    >
      <KebabHorizontalIcon />
    </IconButton>
  );
}
