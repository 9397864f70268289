import { KebabHorizontalIcon } from '@primer/octicons-react';
import { Suspense, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { IconButton } from '../../../ui/controls/button.tsx';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { ChatMenuProps } from './chat-menu.tsx';

const ChatMenu = lazyView(() => import('./chat-menu.tsx'), 'ChatMenu');

/** The button of `ChatMenu`, whose file is loaded when it is pressed first. */
export function ChatMenuButton(props: ChatMenuProps) {
  const { more } = useTexts().chat;
  const [isPressed, setPressed] = useState(false);
  const button = (
    <IconButton
      variant="subtle"
      aria-label={more}
      title={more}
      aria-haspopup="menu"
      aria-expanded={false}
      data-testid="menu"
      onClick={() => setPressed(true)}
    >
      <KebabHorizontalIcon />
    </IconButton>
  );
  if (!isPressed) return button;
  return (
    <Suspense fallback={button}>
      <ChatMenu {...props} />
    </Suspense>
  );
}
