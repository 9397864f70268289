import { BellIcon, BellSlashIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import styles from '../../ui/list/settings.module.css';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { isUndecided, useThisDevicePush } from './this-device-push.ts';

/** Where this device has no notifications: turns them on, or says why that is not possible and where to read how it is. */
export function TurnOnHere() {
  const { settings: texts } = useTexts();
  const { view, thisDevice } = useThisDevicePush();
  const toast = useToast();
  useKeepFocus(view.state);
  const { state, doing } = view;
  if (state === undefined || state === 'on') return null;
  const titles = {
    off: texts.offHere,
    denied: texts.denied,
    needs_home_screen: texts.homeScreen,
    unsupported: texts.unsupported,
  };
  const turnOn = async () => {
    if ((await thisDevice.enable()).state === 'on') toast.say(texts.inviteDone);
  };
  const Icon = state === 'denied' || state === 'unsupported' ? BellSlashIcon : BellIcon;
  return (
    <div className={styles.rows} data-testid="push-offer" data-state={state}>
      <div className={styles.row}>
        <Icon className={styles.device} />
        <div className={styles.rowText}>
          <div className={styles.rowTitle}>{titles[state]}</div>
          {state === 'off' && isUndecided() && doing === undefined && (
            <div className={styles.below}>{texts.hereNext}</div>
          )}
          <div className={styles.below} role="status">
            {doing === 'asking' && texts.askingYou}
            {doing === undefined && view.isUnanswered && texts.noAnswer}
          </div>
          {state === 'off' && <ErrorText error={view.error} />}
        </div>
        {state === 'off' ? (
          <BusyButton
            size="xs"
            label={texts.turnOnHere}
            pending={texts.turningOn}
            isPending={doing === 'turning_on'}
            onClick={() => void turnOn()}
            testId="turn-on-here"
          />
        ) : (
          <Link href="/settings/notifications" className={styles.link} data-testid="push-settings">
            {texts.toNotifications}
          </Link>
        )}
      </div>
    </div>
  );
}
