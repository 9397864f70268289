import { useState } from 'react';
import { useToast } from '../shell/toasts.tsx';
import { usePage } from '../state/hooks.ts';
import type { FriendAct, PersonView } from '../state/views.ts';
import { useWords } from '../words/words.tsx';
import { isolated, useCalled } from './names.tsx';

/** Takes a step of a friendship, and says how it went. */
export function useFriendAct(person: PersonView): {
  act: (act: FriendAct) => Promise<void>;
  isPending: boolean;
} {
  const words = useWords().chat;
  const { friends } = usePage();
  const { say, fail } = useToast();
  const called = useCalled(person);
  const [isPending, setPending] = useState(false);
  const act = async (step: FriendAct) => {
    setPending(true);
    try {
      await friends.act(step, person.id);
      if (step === 'request') say(words.requested);
      if (step === 'accept') say(words.befriended(isolated(called)));
    } catch (error) {
      fail(error);
    } finally {
      setPending(false);
    }
  };
  return { act, isPending };
}
