import { DoormanError } from 'doorman-client';
import { useTexts } from '../../../i18n/texts.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useContacts } from '../model/hooks.ts';
import type { FriendAction } from '../model/views.ts';

/**
 * Sends, cancels, accepts or declines a friend request, or ends a friendship. The change shows at once; if the service
 * refuses it, it is undone and a toast says why.
 *
 * @returns a function; its `done` is the toast for when the service has agreed
 */
export function useFriendAction(userId: string): (action: FriendAction, done?: string) => Promise<void> {
  const { friends } = useContacts();
  const toast = useToast();
  const texts = useTexts().people;
  return async (action, done) => {
    try {
      await friends.act(action, userId);
      if (done !== undefined) toast.say(done);
    } catch (error) {
      // The same error word belongs to messages, where its text is about messages.
      if (error instanceof DoormanError && error.error === 'not_accepting')
        toast.warn(texts.notTakingRequests);
      else toast.fail(error);
    }
  };
}
