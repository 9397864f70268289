import { useEffect } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { LoadedRows } from '../../ui/list/loading.tsx';
import styles from '../../ui/list/settings.module.css';
import { useLoaded } from '../../ui/list/use-fetched.ts';
import { useFocusKept } from '../../ui/list/use-keep-focus.ts';
import { DeviceRow } from './device-row.tsx';
import { usePushHere } from './this-device-push.ts';

/** All devices that are told of messages, as the service knows them. */
export function Devices() {
  const texts = useTexts().settings;
  const { doorman } = useStores();
  const { view } = usePushHere();
  const isOn = view.state === 'on';
  const loaded = useLoaded(async () => {
    const { api, push } = doorman;
    const [devices, here] = await Promise.all([api.pushDevices(), isOn ? push.thisDevice() : undefined]);
    return { devices, hereId: here?.id };
  });
  // What was just turned on or off is in the list, or no more.
  const { reload, value } = loaded;
  const isListed = value?.hereId !== undefined;
  useEffect(() => {
    if (value !== undefined && isListed !== isOn) reload();
  }, [isOn]);
  useFocusKept(value?.devices.length);
  return (
    <LoadedRows loaded={loaded}>
      {({ devices, hereId }) =>
        devices.length === 0 ? (
          <p className={styles.says}>{texts.noDevices}</p>
        ) : (
          <ul className={styles.rows}>
            {devices.map((device) => (
              <DeviceRow key={device.id} device={device} isHere={device.id === hereId} onChanged={reload} />
            ))}
          </ul>
        )
      }
    </LoadedRows>
  );
}
