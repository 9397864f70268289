import { useRef, useState } from 'react';

interface Submission {
  readonly isPending: boolean;
  /** What the latest run failed with. */
  readonly error?: unknown;
  /** Runs an action, unless one is pending. */
  readonly submit: (action: () => Promise<void> | void) => Promise<void>;
  readonly clearError: () => void;
}

/** What a button or a form does at the service: whether it is pending, and why it failed. */
export function useSubmit(): Submission {
  const [state, setState] = useState<Pick<Submission, 'isPending' | 'error'>>({ isPending: false });
  const isPending = useRef(false);
  const submit: Submission['submit'] = async (action) => {
    if (isPending.current) return;
    isPending.current = true;
    setState({ isPending: true });
    try {
      await action();
      setState({ isPending: false });
    } catch (error) {
      setState({ isPending: false, error });
    } finally {
      isPending.current = false;
    }
  };
  return { ...state, submit, clearError: () => setState(({ isPending }) => ({ isPending })) };
}
