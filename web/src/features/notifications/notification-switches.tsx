import { useTexts } from '../../i18n/texts.tsx';
import { Switch } from '../../ui/controls/fields.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { Section } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { useOwnAccountStore } from '../account/model/hooks.ts';
import type { SettingsView } from '../account/model/views.ts';
import { PreviewChoice } from './preview-choice.tsx';

const SWITCH_STYLES = {
  root: styles.switch,
  body: styles.switchBody,
  labelWrapper: styles.switchText,
  track: styles.switchTrack,
  thumb: styles.switchThumb,
};

/** The settings for all devices of the user. A change shows at once and is undone if the service refuses it. */
export function NotificationSwitches({ settings }: { settings: SettingsView }) {
  const texts = useTexts().settings;
  const own = useOwnAccountStore();
  const toast = useToast();
  const update = (changed: Partial<SettingsView>) => own.updateSettings(changed).catch(toast.fail);
  return (
    <Section title={texts.everywhere}>
      <div className={styles.rows}>
        <div className={styles.row}>
          <Switch
            classNames={SWITCH_STYLES}
            label={texts.pushEnabled}
            description={texts.pushEnabledSays}
            labelPosition="left"
            checked={settings.pushEnabled}
            onChange={(event) => void update({ pushEnabled: event.currentTarget.checked })}
            data-testid="push-enabled"
          />
        </div>
        <div className={styles.row}>
          <Switch
            classNames={SWITCH_STYLES}
            label={texts.dnd}
            description={texts.dndSays}
            labelPosition="left"
            checked={settings.dndEnabled}
            onChange={(event) => void update({ dndEnabled: event.currentTarget.checked })}
            data-testid="dnd"
          />
        </div>
      </div>
      <PreviewChoice value={settings.pushPreview} onChange={(pushPreview) => void update({ pushPreview })} />
    </Section>
  );
}
