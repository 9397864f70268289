import { useCallback } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { deviceName } from './device-name.ts';
import { tameDevice } from './sanitize-device-name.ts';

/** Says which device it is, by its User-Agent or its own word for itself. */
export function useDeviceWords(): (told: string) => string {
  const { shell, settings } = useTexts();
  return useCallback(
    (told: string) => tameDevice(deviceName(told, shell.device)) || settings.unknownDevice,
    [shell, settings],
  );
}
