import { EndSessionPage } from './end-session-page.tsx';
import { ForgotPage } from './forgot-page.tsx';
import { SetPasswordPage } from './set-password-page.tsx';
import { useLinkToken } from './use-link-token.ts';
import { VerifyEmailPage } from './verify-email-page.tsx';

const PAGES = {
  '/forgot-password': ForgotPage,
  '/set-password': SetPasswordPage,
  '/verify-email': VerifyEmailPage,
  '/end-session': EndSessionPage,
};

/** The views that work with and without a session, as the links of mails may be opened in any browser. */
export function LinkPage({ path }: { path: string }) {
  const { token, count } = useLinkToken();
  const Page = PAGES[path as keyof typeof PAGES]; // `isLinkPath` holds
  return <Page key={count} token={token} />;
}
