import { useIsOffline } from '../../../data/hooks.ts';
import { Button, type ButtonProps } from '../../../ui/controls/button.tsx';
import type { FriendAction } from '../model/views.ts';
import { useFriendAction } from './use-friend-action.ts';

interface FriendButtonProps extends Omit<ButtonProps, 'onClick' | 'disabled'> {
  userId: string;
  action: FriendAction;
  /** The toast for when the service has agreed. */
  done?: string;
}

/** Sends, cancels, accepts or declines a friend request; inactive offline. */
export function FriendButton({ userId, action, done, ...button }: FriendButtonProps) {
  const act = useFriendAction(userId);
  const isOffline = useIsOffline();
  return <Button {...button} disabled={isOffline} onClick={() => void act(action, done)} />;
}
