import type { ReactNode } from 'react';
import { useSession } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { AuthFrame } from '../auth-frame.tsx';

interface LinkFrameProps {
  title: string;
  /** Nothing more can be done here: the button below is the next step. */
  isOver: boolean;
  children: ReactNode;
}

/** The frame of a view that works with and without a session; the button below leads to the chats or to the sign-in. */
export function LinkFrame({ title, isOver, children }: LinkFrameProps) {
  const { shell } = useTexts();
  const isIn = useSession().state === 'signed_in';
  return (
    <AuthFrame title={title}>
      {children}
      <Button
        href={isIn ? '/' : '/sign-in'}
        variant={isOver ? 'filled' : 'default'}
        size="md"
        fullWidth
        data-testid="other-way"
      >
        {isIn ? shell.toChats : shell.signIn}
      </Button>
    </AuthFrame>
  );
}
