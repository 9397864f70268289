import { useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { LinkAction } from './link-action.tsx';

/** Opened by the link of a mail, `/verify-email#TOKEN`: confirms the address that the mail went to. */
export function VerifyEmailPage({ token }: { token: string }) {
  const texts = useTexts().links;
  const { api } = useStores().doorman;
  return (
    <LinkAction
      token={token}
      title={texts.verifyTitle}
      says={texts.verifySays}
      label={texts.verify}
      pending={texts.verifying}
      act={async () => texts.verified((await api.verifyEmail({ token })).email)}
      refusals={{ code_invalid: texts.verifyInvalid, email_taken: texts.verifyTaken }}
    />
  );
}
