import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { DoormanError } from '../../../client/src/errors.ts';
import type { PushDevice } from '../../../client/src/wire.ts';
import { BusyButton } from '../shell/busy-button.tsx';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { ErrorText } from '../shell/error-text.tsx';
import { TimeText } from '../shell/time-text.tsx';
import { useToast } from '../shell/toasts.tsx';
import { usePage } from '../state/hooks.ts';
import { useWords } from '../words/words.tsx';
import { DeviceIcon } from './device-icon.tsx';
import { type TestResult, testDevice } from './device-test.ts';
import { useDeviceWords } from './device-words.ts';
import { usePushHere } from './push-here.ts';
import styles from './settings.module.css';

interface DeviceRowProps {
  device: PushDevice;
  isHere: boolean;
  onRemoved: () => void;
}

export function DeviceRow({ device, isHere, onRemoved }: DeviceRowProps) {
  const words = useWords().settings;
  const name = useDeviceWords()(device.device);
  const test = useTest({ device, isHere, onRemoved });
  const [isAsking, setAsking] = useState(false);
  const isGone = test.result === 'gone';
  return (
    <li className={styles.row} data-testid={`device-${device.id}`}>
      <DeviceIcon told={device.device} />
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>
          {name}
          {isHere && <span className={styles.mark}>{words.thisDevice}</span>}
          {device.confirmed === 0 && (
            <span className={styles.mark} data-kind="warning">
              {words.unconfirmed}
            </span>
          )}
          {device.usable === 0 && (
            <span className={styles.mark} data-kind="warning">
              {words.unusable}
            </span>
          )}
        </div>
        <div className={styles.below}>
          {words.since} <TimeText at={device.create_time} as="ago" />
        </div>
        {device.confirmed === 0 && <p className={styles.below}>{words.unconfirmedSays}</p>}
        {device.usable === 0 && <p className={styles.below}>{words.unusableSays}</p>}
      </div>
      {!isGone && (
        <div className={styles.buttons}>
          <BusyButton
            size="xs"
            variant="default"
            label={words.test}
            pending={words.testing}
            isPending={test.isPending}
            onClick={test.send}
            testId={`test-${device.id}`}
            aria-label={test.isPending ? undefined : words.testTo(name)}
          />
          <Button
            size="xs"
            variant="default"
            onClick={() => setAsking(true)}
            aria-label={words.removeOf(name)}
            data-testid={`remove-${device.id}`}
          >
            {words.remove}
          </Button>
        </div>
      )}
      <div
        className={styles.result}
        role="status"
        data-testid={`result-${device.id}`}
        data-result={test.result}
      >
        {test.result && !(isGone && isHere) && words.tests[test.result]}
      </div>
      {test.error !== undefined && (
        <div className={styles.result}>
          <ErrorText error={test.error} />
        </div>
      )}
      <RemoveDialog
        device={device}
        name={name}
        isHere={isHere}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onRemoved={onRemoved}
      />
    </li>
  );
}

function useTest({ device, isHere, onRemoved }: DeviceRowProps) {
  const words = useWords().settings;
  const { api } = usePage().doorman;
  const { here } = usePushHere();
  const toast = useToast();
  const [state, setState] = useState<{ isPending: boolean; result?: TestResult; error?: unknown }>({
    isPending: false,
  });
  const testing = useRef<AbortController>(undefined);
  useEffect(() => () => testing.current?.abort(), []);
  /** The row goes with the subscription, so it cannot say it. */
  const renew = async () => {
    const { state } = await here.renew();
    if (state === 'on') toast.say(words.tests.goneHere);
    onRemoved();
  };
  const send = async () => {
    testing.current?.abort();
    const ending = new AbortController();
    testing.current = ending;
    const { signal } = ending;
    setState({ isPending: true });
    const onResult = (result: TestResult) => {
      if (signal.aborted) return;
      setState({ isPending: false, result });
      if (result === 'gone' && isHere) void renew();
    };
    try {
      await testDevice({ api, device, onResult, signal });
    } catch (error) {
      const isGone = error instanceof DoormanError && error.code === 404;
      if (!signal.aborted) setState({ isPending: false, error: isGone ? 'subscription_not_found' : error });
    }
  };
  return { ...state, send: () => void send() };
}

interface RemoveDialogProps extends DeviceRowProps {
  name: string;
  isOpen: boolean;
  onClose: () => void;
}

function RemoveDialog({ device, name, isHere, isOpen, onClose, onRemoved }: RemoveDialogProps) {
  const words = useWords().settings;
  const { api } = usePage().doorman;
  const { here } = usePushHere();
  const toast = useToast();
  const remove = async () => {
    // Here the browser is to know of it too.
    if (isHere) await here.disable();
    else await api.pushUnsubscribe({ id: device.id }).catch(unlessGone);
    toast.say(words.removed);
    onRemoved();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={words.removeAsk}
      confirm={words.remove}
      isDangerous
      onConfirm={remove}
    >
      {words.removeSays(name)}
    </ConfirmDialog>
  );
}

function unlessGone(error: unknown): void {
  if (!(error instanceof DoormanError && error.code === 404)) throw error;
}
