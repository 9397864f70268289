import { useEffect, useState } from 'react';

interface OpenedLink {
  /** What follows `#`; '' if the address has nothing there, as after a reload. */
  readonly token: string;
  /** How many links this tab has opened: the key of what is shown, so that each begins anew. */
  readonly count: number;
}

/** The link by which a view was opened. Its token leaves the address at once, so that no history has it. */
export function useLinkToken(): OpenedLink {
  const [opened, setOpened] = useState(() => ({ token: readToken(), count: 1 }));
  useEffect(() => {
    const forget = () => history.replaceState(history.state, '', location.pathname);
    const takeNext = () => {
      const token = readToken();
      if (token === '') return;
      setOpened(({ count }) => ({ token, count: count + 1 }));
      forget();
    };
    if (readToken() !== '') forget();
    // Another link is opened in this tab.
    addEventListener('hashchange', takeNext);
    return () => removeEventListener('hashchange', takeNext);
  }, []);
  return opened;
}

function readToken(): string {
  return location.hash.slice(1);
}
