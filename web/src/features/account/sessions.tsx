import { DoormanError, type SessionEntry } from 'doorman-client';
import { useEffect, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { FetchedRows } from '../../ui/list/loading.tsx';
import styles from '../../ui/list/settings.module.css';
import { useFetched, useUpdates } from '../../ui/list/use-fetched.ts';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { DeviceIcon } from '../../ui/person/device-icon.tsx';
import { useDeviceLabel } from '../../ui/person/device-label.ts';
import { TimeSentence, useMinute } from '../../ui/person/time-text.tsx';
import { orderSessions } from './order-sessions.ts';

/** The sessions of the user, with buttons to end them; updated while devices come and go. */
export function Sessions() {
  const { doorman } = useStores();
  const fetched = useFetched(doorman.api.sessions);
  const { update } = fetched;
  useUpdates(update, UPDATE_MS);
  useKeepFocus(fetched.value?.length);
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
  return (
    <FetchedRows fetched={fetched}>
      {(sessions) => {
        const others = sessions.filter(({ current }) => current === 0);
        return (
          <>
            <ul className={styles.rows}>
              {orderSessions(sessions).map((session) => (
                <SessionRow key={session.id} session={session} onEnded={update} />
              ))}
            </ul>
            {others.length > 0 && <EndOthers others={others} onEnded={update} />}
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
        {session.address !== '' && <Address address={session.address} />}
      </div>
      {!isThisDevice && <EndSession id={session.id} name={name} onEnded={onEnded} />}
    </li>
  );
}

/** @param props.address one of IPv6 is broken after a colon where it has to be */
function Address({ address }: { address: string }) {
  const texts = useTexts().settings;
  const parts = address.split(/(?<=:)/);
  return (
    <div className={styles.below}>
      {texts.sessionAddress} {parts.flatMap((part, i) => [part, <wbr key={`${i} ${part}`} />])}
    </div>
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
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        onClick={() => setAsking(true)}
        aria-label={texts.endSessionOf(name)}
        data-testid={`end-${id}`}
      >
        {texts.endSession}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.endSessionAsk(name)}
        confirm={texts.endSession}
        isDangerous
        onConfirm={async () => {
          await api.endSession(id).catch(unlessEnded);
          toast.say(texts.sessionEnded(name));
          onEnded();
        }}
      >
        {texts.endSessionSays(name)}
      </ConfirmDialog>
    </>
  );
}

function EndOthers({ others, onEnded }: { others: readonly SessionEntry[]; onEnded: () => void }) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const end = async () => {
    try {
      for (const { id } of others) await api.endSession(id).catch(unlessEnded);
    } finally {
      onEnded();
    }
    toast.say(texts.othersEnded);
  };
  return (
    <div>
      <Button variant="default" onClick={() => setAsking(true)} data-testid="end-others">
        {texts.endOthers}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.endOthersAsk}
        confirm={texts.endOthers}
        isDangerous
        onConfirm={end}
      >
        {texts.endOthersSays(others.length)}
      </ConfirmDialog>
    </div>
  );
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof DoormanError && error.code === 404)) throw error;
}
