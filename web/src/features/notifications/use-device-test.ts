import { DoormanError, type PushDevice } from 'doorman-client';
import { useEffect, useRef, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { type TestResult, testDevice } from './device-test.ts';
import { usePushHere } from './this-device-push.ts';

interface Tested {
  readonly device: PushDevice;
  readonly isHere: boolean;
  /** The list of devices is another one now. */
  readonly onChanged: () => void;
}

interface DeviceTest {
  readonly isPending: boolean;
  readonly result?: TestResult;
  /** What was caught, or the word for it. */
  readonly error?: unknown;
}

/** Sends tests to a device; the subscription of this one is set up anew where it turns out to be no good. */
export function useDeviceTest({ device, isHere, onChanged }: Tested) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const { here } = usePushHere();
  const toast = useToast();
  const [state, setState] = useState<DeviceTest>({ isPending: false });
  const testing = useRef<AbortController>(undefined);
  useEffect(() => () => testing.current?.abort(), []);
  /** The row goes with the subscription, so it cannot say it. */
  const renew = async () => {
    const { state } = await here.renew();
    if (state === 'on') toast.say(texts.tests.goneHere);
    onChanged();
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
