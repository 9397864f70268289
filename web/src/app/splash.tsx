import { BrandMark } from '../ui/page/brand-mark.tsx';
import styles from './splash.module.css';

/** The moment at start in which it is not known who is here; usually too short to be seen. */
export function Splash() {
  return (
    <div className={styles.splash}>
      <BrandMark size={64} />
    </div>
  );
}
