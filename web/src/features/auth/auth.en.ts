import type { SessionEnd } from 'doorman-client';

export const auth = {
  tagline: 'Messages that get through. People you block don’t.',
  signIn: 'Sign in',
  signUp: 'Create account',
  signInTitle: 'Welcome back',
  signUpTitle: 'Create your account',
  newHere: 'New here?',
  haveAccount: 'Already have an account?',
  username: 'Username',
  usernameHint: '2 to 32 characters. This is how people find you.',
  password: 'Password',
  passwordHint: 'At least 6 characters.',
  passwordCommon: 'Many people use this password. Choose one that’s harder to guess.',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
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

  usernameMissing: 'Enter your username.',
  passwordMissing: 'Enter your password.',

  ends: {
    signed_out: '',
    expired: 'Your session has ended. Please sign in again.',
    ended: 'You were signed out from another device. Please sign in again.',
    suspended: 'This account has been suspended. Contact the administrator.',
  } satisfies Record<SessionEnd, string>,

  welcome: 'Welcome to Doorman',
  welcomeSays: 'Find someone you know and say hello.',
};
