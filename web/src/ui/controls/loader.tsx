import styles from './loader.module.css';

interface LoaderProps {
  size: 'xs' | 'sm';
  /** Those that say what is being waited for; without them the loader is only to be seen. */
  role?: 'status';
  'aria-label'?: string;
}

/** A ring that turns. */
export function Loader({ size, ...said }: LoaderProps) {
  return <span {...said} className={styles.loader} data-size={size} />;
}
