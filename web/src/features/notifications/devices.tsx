import { useEffect } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { LoadedRows } from '../../ui/list/loading.tsx';
import styles from '../../ui/list/settings.module.css';
import { useLoaded } from '../../ui/list/use-fetched.ts';
import { useFocusKept } from '../../ui/list/use-keep-focus.ts';
import { DeviceRow } from './device-row.tsx';
import { useThisDevicePush } from './this-device-push.ts';

/** All devices of the user that get notifications, as the service knows them. */
export function Devices() {
  const texts = useTexts().settings;
  const { doorman } = useStores();
  const { view } = useThisDevicePush();
  const isOn = view.state === 'on';
  const loaded = useLoaded(async () => {
    const { api, push } = doorman;
    const [devices, thisDevice] = await Promise.all([
      api.pushDevices(),
      isOn ? push.thisDevice() : undefined,
    ]);
    return { devices, thisDeviceId: thisDevice?.id };
  });
  // When notifications were turned on or off on this device, it enters or leaves the list.
  const { reload, value } = loaded;
  const isListed = value?.thisDeviceId !== undefined;
  useEffect(() => {
    if (value !== undefined && isListed !== isOn) reload();
  }, [isOn]);
  useFocusKept(value?.devices.length);
  return (
    <LoadedRows loaded={loaded}>
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
    </LoadedRows>
  );
}
