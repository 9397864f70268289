import { useTexts } from '../../i18n/texts.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';

/** The settings for the password and the sessions. */
export function SecurityPage() {
  const { settings: texts, shell } = useTexts();
  return (
    <SettingsPage title={shell.titles.security}>
      <Section title={texts.password} says={texts.passwordSays}>
        <PasswordForm />
      </Section>
      <Section title={texts.sessions} says={texts.sessionsSays}>
        <Sessions />
      </Section>
    </SettingsPage>
  );
}
