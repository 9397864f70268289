import { createContext, type ReactNode, Suspense, use, useCallback, useState } from 'react';
import { lazyView } from '../ui/page/lazy-view.tsx';

const SignOutDialog = lazyView(() => import('./sign-out-dialog.tsx'), 'SignOutDialog');

const SignOutContext = createContext<() => void>(() => {});

/** @returns opens a dialog that signs out */
export function useSignOut(): () => void {
  return use(SignOutContext);
}

export function SignOutProvider({ children }: { children: ReactNode }) {
  const [isAsking, setAsking] = useState(false);
  const ask = useCallback(() => setAsking(true), []);
  return (
    <SignOutContext value={ask}>
      {children}
      <Suspense fallback={null}>{isAsking && <SignOutDialog onClose={() => setAsking(false)} />}</Suspense>
    </SignOutContext>
  );
}
