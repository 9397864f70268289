import { Switch } from '@mantine/core';
import { useTexts } from '../../i18n/texts.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { LoadingRows } from '../../ui/list/loading.tsx';
import { Section } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { useOwnAccount, useOwnAccountStore } from '../account/model/hooks.ts';
import type { SettingsView } from '../account/model/views.ts';
import { PreviewChoice } from './preview-choice.tsx';

const LOOKS = { root: styles.switch, body: styles.switchBody, labelWrapper: styles.switchText };

/** What holds on all devices of the user; shown as wanted at once, and taken back if the service refuses. */
export function AccountSwitches() {
  const texts = useTexts().settings;
  const { settings } = useOwnAccount();
  const own = useOwnAccountStore();
  const toast = useToast();
  const want = (wanted: Partial<SettingsView>) => own.updateSettings(wanted).catch(toast.fail);
  return (
    <Section title={texts.everywhere}>
      {settings ? (
        <>
          <div className={styles.rows}>
            <div className={styles.row}>
              <Switch
                classNames={LOOKS}
                label={texts.pushEnabled}
                description={texts.pushEnabledSays}
                labelPosition="left"
                checked={settings.pushEnabled}
                onChange={(event) => void want({ pushEnabled: event.currentTarget.checked })}
                data-testid="push-enabled"
              />
            </div>
            <div className={styles.row}>
              <Switch
                classNames={LOOKS}
                label={texts.dnd}
                description={texts.dndSays}
                labelPosition="left"
                checked={settings.dndEnabled}
                onChange={(event) => void want({ dndEnabled: event.currentTarget.checked })}
                data-testid="dnd"
              />
            </div>
          </div>
          <PreviewChoice
            value={settings.pushPreview}
            onChange={(pushPreview) => void want({ pushPreview })}
          />
        </>
      ) : (
        <LoadingRows />
      )}
    </Section>
  );
}
