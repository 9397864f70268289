import { useLocation } from 'wouter';
import { useStores } from '../data/hooks.ts';
import { signOut as en } from '../i18n/sign-out.en.ts';
import { signOut as zh } from '../i18n/sign-out.zh.ts';
import { useLanguage, useTexts } from '../i18n/texts.tsx';
import { ConfirmDialog } from '../ui/controls/confirm-dialog.tsx';

/** Warns of messages that are not sent yet, which a sign-out removes. */
export function SignOutDialog({ onClose }: { onClose: () => void }) {
  const { signOut } = useTexts().shell;
  const texts = { en, zh }[useLanguage().language];
  const stores = useStores();
  const [, go] = useLocation();
  const waiting = stores.doorman.outgoing().filter(({ state }) => state !== 'stored').length;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.signOutAsk}
      confirm={waiting > 0 ? texts.signOutAnyway : signOut}
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
