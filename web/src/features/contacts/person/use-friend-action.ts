import { DoormanError } from 'doorman-client';
import { useTexts } from '../../../i18n/texts.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useContacts } from '../model/hooks.ts';
import type { FriendAction } from '../model/views.ts';

/**
 * Steps between the user and somebody. What they do is seen at once; if the service refuses, it is taken back and said why.
 *
 * @param done what is said when the service has agreed
 */
export function useFriendAction(userId: string): (act: FriendAction, done?: string) => Promise<void> {
  const { friends } = useContacts();
  const toast = useToast();
  const texts = useTexts().people;
  return async (act, done) => {
    try {
      await friends.act(act, userId);
      if (done !== undefined) toast.say(done);
    } catch (error) {
      // The word is that of messages too, where it means something else to the user.
      if (error instanceof DoormanError && error.error === 'not_accepting')
        toast.warn(texts.notTakingRequests);
      else toast.fail(error);
    }
  };
}
