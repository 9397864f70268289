import { useMinute, useTimes } from '../shell/time-text.tsx';
import type { SightView } from '../state/views.ts';
import { useWords } from '../words/words.tsx';
import styles from './sight-text.module.css';

/** Whether somebody is there, or when he was. Nothing while it is not known; whom one blocks appears offline. */
export function SightText({ sight, isBlocked }: { sight: SightView; isBlocked: boolean }) {
  const { people: words, shell } = useWords();
  const times = useTimes();
  const now = useMinute();
  const say = () => {
    if (isBlocked) return words.offline;
    switch (sight.state) {
      case 'online':
        return shell.online;
      case 'idle':
        return shell.idle;
      case 'offline':
        return sight.lastSeen > 0 ? words.lastSeen(times.ago(sight.lastSeen, now)) : words.offline;
      case 'unknown':
        return '';
    }
  };
  return (
    <p className={styles.sight} data-sight={isBlocked ? 'offline' : sight.state} data-testid="profile-sight">
      {say()}
    </p>
  );
}
