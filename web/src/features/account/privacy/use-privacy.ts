import type { Privacy, PrivacyBody } from 'doorman-client';
import { useEffect, useRef, useState } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { type FetchedView, useFetched } from '../../../ui/list/use-fetched.ts';

type Chosen = Required<PrivacyBody>;

/** What the user has chosen, here or on another device. A change shows at once and is undone if the service refuses it. */
export function usePrivacy(): {
  fetched: FetchedView<Privacy>;
  shown: Chosen;
  change: (body: PrivacyBody) => void;
} {
  const { doorman } = useStores();
  const toast = useToast();
  const fetched = useFetched(() => doorman.api.privacy());
  /** Changes that the service has not answered yet, the oldest first. */
  const [pending, setPending] = useState<readonly PrivacyBody[]>([]);
  /** Ends when the last change is answered. Each waits for the one before: of two at once, the older might be stored last. */
  const answered = useRef<Promise<unknown>>(Promise.resolve());
  /** How many events and snapshots came. */
  const heard = useRef(0);
  const { extend } = fetched;
  useEffect(() => {
    const take = ({ privacy }: { privacy: Privacy }) => {
      heard.current++;
      extend(async () => privacy);
    };
    const ends = [
      doorman.on('privacy', ({ seq: _seq, ...privacy }) => take({ privacy })),
      doorman.on('snapshot', take),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [doorman, extend]);

  async function send(body: PrivacyBody): Promise<void> {
    setPending((all) => [...all, body]);
    let before = 0;
    const answer = answered.current.then(() => {
      before = heard.current;
      return doorman.api.setPrivacy(body);
    });
    answered.current = answer.catch(() => undefined); // handled below
    try {
      const privacy = await answer;
      // What an event has brought since then includes this change, or is newer.
      if (heard.current === before) extend(async () => privacy);
    } catch (error) {
      toast.fail(error);
    } finally {
      setPending((all) => all.filter((one) => one !== body));
    }
  }

  const shown = Object.assign({}, fetched.value && toChosen(fetched.value), ...pending);
  return { fetched, shown, change: (body) => void send(body) };
}

function toChosen({ messages, friend_requests, presence, read_receipts, listed }: Privacy): Chosen {
  return { messages, friendRequests: friend_requests, presence, readReceipts: read_receipts, listed };
}
