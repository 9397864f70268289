import { useEffect } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { FetchedRows } from '../../ui/list/loading.tsx';
import styles from '../../ui/list/settings.module.css';
import { useFetched } from '../../ui/list/use-fetched.ts';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { DeviceRow } from './device-row.tsx';
import { useThisDevicePush } from './this-device-push.ts';

/** All devices of the user that get notifications, as the service knows them. */
export function Devices() {
  const texts = useTexts().settings;
  const { doorman } = useStores();
  const { view } = useThisDevicePush();
  const isOn = view.state === 'on';
  const fetched = useFetched(async () => {
    const { api, push } = doorman;
    const [devices, thisDevice] = await Promise.all([
      api.pushDevices(),
      isOn ? push.thisDevice() : undefined,
    ]);
    return { devices, thisDeviceId: thisDevice?.id };
  });
  // When notifications were turned on or off on this device, it enters or leaves the list.
  const { reload, value } = fetched;
  const isListed = value?.thisDeviceId !== undefined;
  useEffect(() => {
    if (value !== undefined && isListed !== isOn) reload();
  }, [isOn]);
  useKeepFocus(value?.devices.length);
  return (
    <FetchedRows fetched={fetched}>
      {({ devices, thisDeviceId }) =>
        devices.length === 0 ? (
          <p className={styles.says}>{texts.noDevices}</p>
        ) : (
          <ul className={styles.rows}>
            {devices.map((device) => (
              <DeviceRow
                key={device.id}
                device={device}
                isThisDevice={device.id === thisDeviceId}
                onChanged={reload}
              />
            ))}
          </ul>
        )
      }
    </FetchedRows>
  );
}
