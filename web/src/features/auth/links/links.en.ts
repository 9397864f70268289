/** Of the views that work with and without a session: a forgotten password, and what the links of mails open. */
export const links = {
  newPassword: 'New password',
  setPasswordTitle: 'Set a new password',
  setPasswordSays: 'This signs you out on all your devices.',
  setPassword: 'Set password',
  settingPassword: 'Setting your password…',
  noNeed: 'Remember your password?',
  alreadyIn: 'You’re already signed in',
  missing: 'Open the link that you received once more.',

  forgotTitle: 'Forgot your password?',
  forgotSays: 'We’ll email you a link to set a new one.',
  account: 'Username or email address',
  accountMissing: 'Enter your username or email address.',
  accountTooLong: 'This is too long for a username or an email address.',
  sendLink: 'Send the link',
  sendingLink: 'Sending…',
  linkSent:
    'If there’s an account with this name and a confirmed address, an email is on its way. Its link works once, within an hour.',
  linkSentNext:
    'Nothing after a few minutes? Check your spam folder. Without a confirmed address, contact the administrator for a link.',
  linkAgain: 'Use another name or address',
  noMail: 'This server doesn’t send email. Ask the administrator for a link to set a new password.',

  verifyTitle: 'Confirm your email address',
  verifySays: 'Confirm it only if you asked for this yourself: the address can then set a new password.',
  verify: 'Confirm address',
  verifying: 'Confirming…',
  /** @param email the address that was confirmed */
  verified: (email: string) => `${email} is confirmed.`,
  verifyInvalid:
    'This link has expired, was already used, or a newer email has replaced it. Ask for another email in the settings, under “Password and devices”.',
  verifyTaken: 'Another account has already confirmed this address.',

  endTitle: 'Sign that device out',
  endSays: 'If you didn’t sign in there yourself, sign that device out and set a new password.',
  end: 'Sign that device out',
  ending: 'Signing it out…',
  ended: 'That device is signed out.',
  endedNext: 'If it wasn’t you, someone else knows your password: set a new one now.',
  endInvalid: 'That device is already signed out, or the link is incomplete.',
  endNext: 'Set a new password',
};
