/** What follows `/sign-up` in the link of an invite (`doorman invite`): in the fragment, which browsers do not send. */
const FRAGMENT = /^#invite=([\w-]{1,40})$/;

let latest = '';

/** The code of the link by which the page was opened; '' if there is none. It stays when the user goes to the sign-in and back. */
export function linkedInvite(): string {
  latest = FRAGMENT.exec(location.hash)?.[1] ?? latest;
  return latest;
}
