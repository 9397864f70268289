import { DeviceDesktopIcon, DeviceMobileIcon } from '@primer/octicons-react';
import styles from '../list/settings.module.css';

/** @param props.device its User-Agent, or the name that it gave itself */
export function DeviceIcon({ device }: { device: string }) {
  const Icon = /\b(?:iPhone|iPad|iPod|Android|Mobile)\b/.test(device) ? DeviceMobileIcon : DeviceDesktopIcon;
  return <Icon className={styles.device} />;
}
