import { useTexts } from '../../i18n/texts.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { Switch } from '../../ui/fields/fields.tsx';
import { Section } from '../../ui/list/section.tsx';
import rows from '../../ui/list/settings.module.css';
import { useOwnAccountStore } from '../account/model/hooks.ts';
import type { SettingsView } from '../account/model/views.ts';
import styles from './notification-switches.module.css';
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
  const update = (changed: Partial<SettingsView>) => void own.updateSettings(changed).catch(toast.fail);
  return (
    <Section title={texts.everywhere}>
      <div className={rows.rows}>
        <SettingSwitch
          {...{ settings, update }}
          field="pushEnabled"
          label={texts.pushEnabled}
          says={texts.pushEnabledSays}
          testId="push-enabled"
        />
        <SettingSwitch
          {...{ settings, update }}
          field="dndEnabled"
          label={texts.dnd}
          says={texts.dndSays}
          testId="dnd"
        />
      </div>
      <PreviewChoice value={settings.pushPreview} onChange={(pushPreview) => update({ pushPreview })} />
    </Section>
  );
}

interface SettingSwitchProps {
  settings: SettingsView;
  update: (changed: Partial<SettingsView>) => void;
  field: 'pushEnabled' | 'dndEnabled';
  label: string;
  says: string;
  testId: string;
}

function SettingSwitch({ settings, update, field, label, says, testId }: SettingSwitchProps) {
  return (
    <div className={rows.row}>
      <Switch
        classNames={SWITCH_STYLES}
        label={label}
        description={says}
        labelPosition="left"
        checked={settings[field]}
        onChange={(event) => update({ [field]: event.currentTarget.checked })}
        data-testid={testId}
      />
    </div>
  );
}
