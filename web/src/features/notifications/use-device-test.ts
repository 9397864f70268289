import { DoormanError, type PushDevice } from 'doorman-client';
import { useEffect, useRef, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { type TestResult, testDevice } from './device-test.ts';
import { useThisDevicePush } from './this-device-push.ts';

interface DeviceTestOptions {
  readonly device: PushDevice;
  readonly isThisDevice: boolean;
  /** Called when the list of devices has changed. */
  readonly onChanged: () => void;
}

interface TestState {
  readonly isPending: boolean;
  readonly result?: TestResult;
  /** The error, or its word. */
  readonly error?: unknown;
}

/** Sends test notifications to a device. If this device has lost its subscription, it gets a new one. */
export function useDeviceTest({ device, isThisDevice, onChanged }: DeviceTestOptions) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const { thisDevice } = useThisDevicePush();
  const toast = useToast();
  const [state, setState] = useState<TestState>({ isPending: false });
  const testing = useRef<AbortController>(undefined);
  useEffect(() => () => testing.current?.abort(), []);
  /** The result is a toast: the row of the old subscription disappears. */
  const renew = async () => {
    const { state } = await thisDevice.renew();
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
      if (result === 'gone' && isThisDevice) void renew();
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
