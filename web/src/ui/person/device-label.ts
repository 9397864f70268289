import { useCallback } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { deviceName } from './device-name.ts';
import { sanitizeDeviceName } from './sanitize-device-name.ts';

/** @returns names a device in the user's language, by its User-Agent or the name that it gave itself */
export function useDeviceLabel(): (device: string) => string {
  const { shell, settings } = useTexts();
  return useCallback(
    (device: string) => sanitizeDeviceName(deviceName(device, shell.device)) || settings.unknownDevice,
    [shell, settings],
  );
}
