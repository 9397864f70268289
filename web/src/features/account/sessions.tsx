import { DoormanError, type SessionEntry } from 'doorman-client';
import { useEffect, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button, type ButtonProps } from '../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { FetchedRows } from '../../ui/list/loading.tsx';
import styles from '../../ui/list/settings.module.css';
import { type FetchedView, useFetched, useUpdates } from '../../ui/list/use-fetched.ts';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { DeviceIcon } from '../../ui/person/device-icon.tsx';
import { useDeviceLabel } from '../../ui/person/device-label.ts';
import { NetworkAddress } from '../../ui/person/network-address.tsx';
import { TimeSentence, useMinute } from '../../ui/person/time-text.tsx';
import { orderSessions } from './order-sessions.ts';

/** The sessions of the user, updated while devices come and go. */
export function useSessions(): FetchedView<SessionEntry[]> {
  const { doorman } = useStores();
  const fetched = useFetched(doorman.api.sessions);
  const { update } = fetched;
  useUpdates(update, UPDATE_MS);
  useEffect(() => {
    // Ending all other sessions sends one event for each.
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stop = doorman.on('sessions', () => {
      clearTimeout(soon);
      soon = setTimeout(update, EVENTS_TOGETHER_MS);
    });
    return () => {
      clearTimeout(soon);
      stop();
    };
  }, [doorman, update]);
  return fetched;
}

/** What {@link useSessions} has fetched, with buttons to end each. */
export function Sessions({ fetched }: { fetched: FetchedView<SessionEntry[]> }) {
  const { update } = fetched;
  useKeepFocus(fetched.value?.length);
  return (
    <FetchedRows fetched={fetched}>
      {(sessions) => {
        const others = sessions.filter(({ current }) => current === 0).length;
        return (
          <>
            <ul className={styles.rows}>
              {orderSessions(sessions).map((session) => (
                <SessionRow key={session.id} session={session} onEnded={update} />
              ))}
            </ul>
            {others > 0 && <EndOthers count={others} onEnded={update} />}
          </>
        );
      }}
    </FetchedRows>
  );
}

/** No event says that a device has signed in, or is in use. */
const UPDATE_MS = 60_000;
const EVENTS_TOGETHER_MS = 300;

function SessionRow({ session, onEnded }: { session: SessionEntry; onEnded: () => void }) {
  const texts = useTexts().settings;
  const name = useDeviceLabel()(session.device);
  const isThisDevice = session.current === 1;
  return (
    <li className={styles.row} data-testid={`session-${session.id}`}>
      <DeviceIcon device={session.device} />
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>
          {name}
          {isThisDevice && <span className={styles.mark}>{texts.thisDevice}</span>}
        </div>
        <div className={styles.below}>
          <LastUse session={session} />
          {' · '}
          <TimeSentence of={texts.signedIn} at={session.create_time} />
        </div>
        {session.address !== '' && (
          <div className={styles.below}>
            <NetworkAddress address={session.address} />
          </div>
        )}
      </div>
      {!isThisDevice && <EndSession id={session.id} name={name} onEnded={onEnded} />}
    </li>
  );
}

function LastUse({ session }: { session: SessionEntry }) {
  const texts = useTexts().settings;
  const now = useMinute();
  if (session.active === 1 || session.current === 1)
    return <span className={styles.active}>{texts.activeNow}</span>;
  if (now - session.last_used < HOUR_MS) return texts.activeLastHour;
  return <TimeSentence of={texts.activeAgo} at={session.last_used} />;
}

/** The service stores the last use with a precision of an hour. */
const HOUR_MS = 3_600_000;

/** @param props.name of the device */
function EndSession({ id, name, onEnded }: { id: string; name: string; onEnded: () => void }) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const toast = useToast();
  return (
    <AskButton
      size="xs"
      label={texts.endSession}
      aria-label={texts.endSessionOf(name)}
      data-testid={`end-${id}`}
      title={texts.endSessionAsk(name)}
      says={texts.endSessionSays(name)}
      onConfirm={async () => {
        await api.endSession(id).catch(unlessEnded);
        toast.say(texts.sessionEnded(name));
        onEnded();
      }}
    />
  );
}

function EndOthers({ count, onEnded }: { count: number; onEnded: () => void }) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const toast = useToast();
  const end = async () => {
    await api.endOtherSessions();
    onEnded();
    toast.say(texts.othersEnded);
  };
  return (
    <div>
      <AskButton
        label={texts.endOthers}
        data-testid="end-others"
        title={texts.endOthersAsk}
        says={texts.endOthersSays(count)}
        onConfirm={end}
      />
    </div>
  );
}

interface AskButtonProps extends Omit<ButtonProps, 'title' | 'children'> {
  label: string;
  /** The question, and below it what the answer does. */
  title: string;
  says: string;
  onConfirm: () => Promise<void>;
}

function AskButton({ label, title, says, onConfirm, ...button }: AskButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...button} variant="default" onClick={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={title}
        confirm={label}
        isDangerous
        onConfirm={onConfirm}
      >
        {says}
      </ConfirmDialog>
    </>
  );
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof DoormanError && error.code === 404)) throw error;
}
