import type { PushDevice } from 'doorman-client';
import { useState } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import styles from '../../ui/list/settings.module.css';
import { DeviceIcon } from '../../ui/person/device-icon.tsx';
import { useDeviceLabel } from '../../ui/person/device-label.ts';
import { TimeSentence } from '../../ui/person/time-text.tsx';
import { RemoveDeviceDialog } from './remove-device-dialog.tsx';
import { useDeviceTest } from './use-device-test.ts';

interface DeviceRowProps {
  device: PushDevice;
  isThisDevice: boolean;
  /** Called when the device was removed or replaced. */
  onChanged: () => void;
}

/** One device that gets notifications, with the buttons to test and to remove it. */
export function DeviceRow({ device, isThisDevice, onChanged }: DeviceRowProps) {
  const texts = useTexts().settings;
  const name = useDeviceLabel()(device.device);
  const test = useDeviceTest({ device, isThisDevice, onChanged });
  const [isAsking, setAsking] = useState(false);
  const isGone = test.result === 'gone';
  return (
    <li className={styles.row} data-testid={`device-${device.id}`}>
      <DeviceIcon device={device.device} />
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>
          {name}
          {isThisDevice && <span className={styles.mark}>{texts.thisDevice}</span>}
          {device.confirmed === 0 && (
            <span className={styles.mark} data-kind="warning">
              {texts.unconfirmed}
            </span>
          )}
          {device.usable === 0 && (
            <span className={styles.mark} data-kind="warning">
              {texts.unusable}
            </span>
          )}
        </div>
        <div className={styles.below}>
          <TimeSentence of={texts.since} at={device.create_time} />
        </div>
        {device.confirmed === 0 && <p className={styles.below}>{texts.unconfirmedSays}</p>}
        {device.usable === 0 && <p className={styles.below}>{texts.unusableSays}</p>}
      </div>
      {!isGone && (
        <div className={styles.buttons}>
          <BusyButton
            size="xs"
            variant="default"
            label={texts.test}
            pending={texts.testing}
            isPending={test.isPending}
            onClick={test.send}
            testId={`test-${device.id}`}
            aria-label={test.isPending ? undefined : texts.testTo(name)}
          />
          <Button
            size="xs"
            variant="default"
            onClick={() => setAsking(true)}
            aria-label={texts.removeOf(name)}
            data-testid={`remove-${device.id}`}
          >
            {texts.remove}
          </Button>
        </div>
      )}
      <div
        className={styles.result}
        role="status"
        data-testid={`result-${device.id}`}
        data-result={test.result}
      >
        {test.result && !(isGone && isThisDevice) && texts.tests[test.result]}
      </div>
      {test.error !== undefined && (
        <div className={styles.result}>
          <ErrorText error={test.error} />
        </div>
      )}
      <RemoveDeviceDialog
        device={device}
        name={name}
        isThisDevice={isThisDevice}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onRemoved={onChanged}
      />
    </li>
  );
}
