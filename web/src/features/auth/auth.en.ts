import type { SessionEnd } from 'doorman-client';

export const auth = {
  tagline: 'Messages that get through. People you block don’t.',
  signUp: 'Create account',
  signInTitle: 'Welcome back',
  signUpTitle: 'Create your account',
  newHere: 'New here?',
  haveAccount: 'Already have an account?',
  username: 'Username',
  usernameOrEmail: 'Username or email address',
  usernameHint: '2 to 32 characters. This is how people find you.',
  password: 'Password',
  passwordHint: 'At least 6 characters.',
  forgot: 'Forgot password?',
  nickname: 'Display name',
  nicknameHint: 'The name others see. You can change it any time.',
  addNickname: 'Add a display name',
  invite: 'Invite code',
  inviteHint: 'From the person who invited you.',
  inviteMissing: 'Enter your invite code.',
  closedTitle: 'Registration is closed',
  closedSays: 'New accounts can’t be created here right now. Contact the administrator.',
  signingIn: 'Signing in…',
  signingUp: 'Creating your account…',

  /** @param time date and time */
  deletionAsked: (time: string) =>
    `Your account will be deleted on ${time}. Until then you can sign in and choose “Keep my account”.`,
  deleted: 'Your account is deleted.',
  keepTitle: 'Keep your account?',
  /** @param time date and time */
  keepSays: (time: string) => `This account will be deleted on ${time}, as you asked.`,
  keepBack: 'If you keep it, everything comes back. Only notifications have to be turned on again.',
  keep: 'Keep my account',
  keeping: 'Keeping your account…',
  keepElse: 'Still want to leave?',
  keepNot: 'Not now',

  passwordSet: 'Your new password is set. Use it to sign in.',

  usernameMissing: 'Enter your username.',
  passwordMissing: 'Enter your password.',

  ends: {
    signed_out: '',
    expired: 'Your session has ended. Please sign in again.',
    ended: 'You were signed out from another device. Please sign in again.',
    suspended: 'This account has been suspended. Contact the administrator.',
    // Deletion may be at once, and time may have passed.
    leaving: 'You asked to delete this account. If there’s still time, you can sign in and keep it.',
  } satisfies Record<SessionEnd, string>,

  /** @param wait how long, in words, such as `30 seconds` */
  networkLimited: (wait: string) =>
    `Too many sign-ins and new accounts from this network. Try again in ${wait}.`,
  networkLimitedSoon: 'Too many sign-ins and new accounts from this network. Wait a moment and try again.',
  /** The words of an envelope that only these views can meet. */
  errors: {
    username_taken: 'This username is taken. Choose another one.',
    username_length: 'Usernames must be 2–32 characters.',
    username_invalid: 'Usernames can’t contain invisible characters, or start or end with a space.',
    invite_required: 'Enter a valid invite code. If yours has expired or been used, ask for a new one.',
    registration_closed: 'New accounts can’t be created here right now. Contact the administrator.',
    unknown_user: 'No account with this username.',
    unknown_address: 'No account with this address and password.',
    link_invalid: 'This link has expired or was already used. Ask for a new one.',
    ticket_invalid: 'This took too long, or the account is deleted by now. Sign in once more.',
    too_many_logins:
      'Too many wrong passwords for this account. Try again in a minute, or use a device where you’ve signed in before.',
  },
};
