import { Button } from '@mantine/core';
import { DoormanError, type SessionEntry } from 'doorman-client';
import { useEffect, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { FetchedRows } from '../../ui/list/loading.tsx';
import styles from '../../ui/list/settings.module.css';
import { useFetched, useReloadOnReturn } from '../../ui/list/use-fetched.ts';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { DeviceIcon } from '../../ui/person/device-icon.tsx';
import { useDeviceLabel } from '../../ui/person/device-label.ts';
import { TimeText, useMinute } from '../../ui/person/time-text.tsx';

/** The sessions of the user, with buttons to end them; updated when other devices end one. */
export function Sessions() {
  const { doorman } = useStores();
  const fetched = useFetched(doorman.api.sessions);
  const { reload } = fetched;
  useReloadOnReturn(reload);
  useKeepFocus(fetched.value?.length);
  useEffect(() => {
    // Ending all other sessions sends one event for each.
    let soon: ReturnType<typeof setTimeout> | undefined;
    const stop = doorman.on('sessions', () => {
      clearTimeout(soon);
      soon = setTimeout(reload, EVENTS_TOGETHER_MS);
    });
    return () => {
      clearTimeout(soon);
      stop();
    };
  }, [doorman, reload]);
  return (
    <FetchedRows fetched={fetched}>
      {(sessions) => {
        const others = sessions.filter(({ current }) => current === 0);
        return (
          <>
            <ul className={styles.rows}>
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} onEnded={reload} />
              ))}
            </ul>
            {others.length > 0 && <EndOthers others={others} onEnded={reload} />}
          </>
        );
      }}
    </FetchedRows>
  );
}
const EVENTS_TOGETHER_MS = 300;

/** The service stores the last use with a precision of an hour. */
const HOUR_MS = 3_600_000;

function SessionRow({ session, onEnded }: { session: SessionEntry; onEnded: () => void }) {
  const texts = useTexts().settings;
  const name = useDeviceLabel()(session.device);
  const now = useMinute();
  const { api } = useStores().doorman;
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
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
          {texts.signedInSince} <TimeText at={session.create_time} as="ago" />
          {!isThisDevice && (
            <>
              {' · '}
              {texts.lastUsed}{' '}
              {now - session.last_used < HOUR_MS ? (
                texts.usedNow
              ) : (
                <TimeText at={session.last_used} as="ago" />
              )}
            </>
          )}
        </div>
      </div>
      {!isThisDevice && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsking(true)}
          aria-label={texts.endSessionOf(name)}
          data-testid={`end-${session.id}`}
        >
          {texts.endSession}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.endSessionAsk}
        confirm={texts.endSession}
        isDangerous
        onConfirm={async () => {
          await api.endSession(session.id).catch(unlessEnded);
          toast.say(texts.sessionEnded);
          onEnded();
        }}
      >
        {texts.endSessionSays(name)}
      </ConfirmDialog>
    </li>
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
