import { useTexts } from '../../../i18n/texts.tsx';
import { useMinute, useTimes } from '../../../ui/person/time-text.tsx';
import type { PresenceView } from '../model/views.ts';
import styles from './presence-text.module.css';

/** Online, idle or when last seen. Nothing while it is unknown; a blocked user appears offline. */
export function PresenceText({ presence, isBlocked }: { presence: PresenceView; isBlocked: boolean }) {
  const { people: texts, shell } = useTexts();
  const lastSeen = useLastSeen(presence.lastSeen);
  const text = () => {
    if (isBlocked) return texts.offline;
    switch (presence.state) {
      case 'online':
        return shell.online;
      case 'idle':
        return shell.idle;
      case 'offline':
        return lastSeen;
      case 'unknown':
        return '';
    }
  };
  return (
    <p
      className={styles.presence}
      data-presence={isBlocked ? 'offline' : presence.state}
      data-testid="profile-sight"
    >
      {text()}
    </p>
  );
}

/** When an offline user was last seen. @param at epoch milliseconds; 0: not known */
export function useLastSeen(at: number): string {
  const texts = useTexts().people;
  const times = useTimes();
  const now = useMinute();
  return at === 0 ? texts.offline : texts.lastSeen(times.ago(at, now));
}
