import type { SessionEnd } from 'doorman-client';

export const auth = {
  tagline: 'Messages that reach you. Whoever you block does not.',
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
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  nickname: 'Nickname',
  nicknameHint: 'What others see instead of your username. You can change it any time.',
  addNickname: 'Add a nickname',
  signingIn: 'Signing in …',
  signingUp: 'Creating your account …',

  usernameMissing: 'Please enter your username.',
  passwordMissing: 'Please enter your password.',

  ends: {
    signed_out: '',
    expired:
      'You were away for a long time, or this device was signed out from another one. Please sign in again.',
    ended: 'This device was signed out from another one. Sign in to come back.',
    suspended: 'This account has been suspended. Ask whoever runs this service.',
  } satisfies Record<SessionEnd, string>,

  welcome: 'Welcome to Doorman',
  welcomeSays: 'Find somebody you know and say hello.',
};
