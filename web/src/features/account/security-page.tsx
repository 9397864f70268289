import { useWords } from '../../i18n/texts.tsx';
import { Section, SettingsPage } from '../../ui/list/section.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';

/** The password, and where it was used to sign in. */
export function SecurityPage() {
  const words = useWords().settings;
  return (
    <SettingsPage title={words.security}>
      <Section title={words.password} says={words.passwordSays}>
        <PasswordForm />
      </Section>
      <Section title={words.sessions}>
        <Sessions />
      </Section>
    </SettingsPage>
  );
}
