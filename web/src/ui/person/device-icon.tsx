import { DeviceDesktopIcon, DeviceMobileIcon } from '@primer/octicons-react';
import styles from '../list/settings.module.css';

/** @param told the device's own word for itself (User-Agent) */
export function DeviceIcon({ told }: { told: string }) {
  const Icon = /\b(?:iPhone|iPad|iPod|Android|Mobile)\b/.test(told) ? DeviceMobileIcon : DeviceDesktopIcon;
  return <Icon size={16} className={styles.device} />;
}
