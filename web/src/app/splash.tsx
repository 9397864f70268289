import { BrandMark } from '../ui/page/brand-mark.tsx';
import styles from './splash.module.css';

/** Shown at start until the session is known, usually too short to be seen. */
export function Splash() {
  return (
    <div className={styles.splash}>
      <BrandMark size={64} />
    </div>
  );
}
