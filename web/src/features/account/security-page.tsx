import { ChevronRightIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { FetchedRows, LoadingRows } from '../../ui/list/loading.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { useFetched, useUpdates } from '../../ui/list/use-fetched.ts';
import { RecoveryAddress } from './address/recovery-address.tsx';
import { DeleteAccount } from './leaving/delete-account.tsx';
import { OwnData } from './leaving/own-data.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions, useSessions } from './sessions.tsx';

/** The link of a mail, opened elsewhere, confirms an address without an event. */
const UPDATE_MS = 60_000;

export function SecurityPage() {
  const { settings: texts, shell } = useTexts();
  const { api } = useStores().doorman;
  const fetched = useFetched(async () => {
    const { mail, deletionGrace } = await api.options();
    // Without mail there is no address to speak of.
    return { account: mail ? await api.account() : null, deletionGrace };
  });
  const { value, error, update } = fetched;
  useUpdates(update, UPDATE_MS);
  const sessions = useSessions();
  const areSessionsShown = sessions.value !== undefined || sessions.error !== undefined;
  // All parts come together, or the first ones would move the others.
  const isWaiting = value === undefined && error === undefined;
  return (
    <SettingsPage title={shell.titles.security}>
      {isWaiting ? (
        <LoadingRows />
      ) : (
        <>
          <Section title={texts.password} says={texts.passwordSays}>
            <PasswordForm />
          </Section>
          {value?.account !== null && (
            <Section title={texts.recovery} says={texts.recoverySays}>
              <FetchedRows fetched={fetched}>
                {({ account }) => account && <RecoveryAddress account={account} onChanged={update} />}
              </FetchedRows>
            </Section>
          )}
          <Link href="/settings/account-log" className={styles.link} data-testid="open-account-log">
            {texts.openAccountLog}
            <ChevronRightIcon />
          </Link>
          <Section title={texts.sessions} says={texts.sessionsSays}>
            <Sessions fetched={sessions} />
          </Section>
          {/* Below rows that come later. During an update a node of the version before may answer, which has neither. */}
          {areSessionsShown && value?.deletionGrace !== undefined && (
            <>
              <OwnData />
              <DeleteAccount graceSeconds={value.deletionGrace} />
            </>
          )}
        </>
      )}
    </SettingsPage>
  );
}
