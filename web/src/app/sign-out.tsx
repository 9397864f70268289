import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import { useStores } from '../data/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import { ConfirmDialog } from '../ui/controls/confirm-dialog.tsx';

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
      <SignOutDialog isOpen={isAsking} onClose={() => setAsking(false)} />
    </SignOutContext>
  );
}

/** Warns of messages that are not sent yet, which a sign-out removes. */
function SignOutDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const texts = useTexts().shell;
  const stores = useStores();
  const [, go] = useLocation();
  const waiting = isOpen ? stores.doorman.outgoing().filter(({ state }) => state !== 'stored').length : 0;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={texts.signOutAsk}
      confirm={waiting > 0 ? texts.signOutAnyway : texts.signOut}
      isDangerous={waiting > 0}
      onConfirm={async () => {
        await stores.session.signOut();
        go('/sign-in', { replace: true });
      }}
    >
      {waiting > 0 && <p>{texts.signOutLoses(waiting)}</p>}
      <p>{texts.signOutSays}</p>
    </ConfirmDialog>
  );
}
