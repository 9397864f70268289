/** Texts of the password, the devices, the recovery address and the account log. */
export const account = {
  password: 'Password',
  passwordSays: 'Changing it signs out all other devices and stops their notifications.',
  oldPassword: 'Current password',
  newPassword: 'New password',
  newPasswordHint: 'At least 6 characters.',
  oldPasswordMissing: 'Enter your current password.',
  changePassword: 'Change password',
  changingPassword: 'Changing…',
  passwordChanged: 'Password changed. All other devices are signed out.',
  sessions: 'Where you’re signed in',
  sessionsSays:
    'Only you can see this list. If you don’t recognize a device, sign it out and change your password.',
  activeNow: 'Active now',
  activeLastHour: 'Active in the last hour',
  activeAgo: (ago: string) => `Active ${ago}`,
  signedIn: (ago: string) => `Signed in ${ago}`,
  sessionAddress: 'IP address',
  endSession: 'Sign out',
  endSessionOf: (device: string) => `Sign out ${device}`,
  endSessionAsk: (device: string) => `Sign out ${device}?`,
  endSessionSays: (device: string) =>
    `${device} will be signed out right away and will stop getting notifications.`,
  sessionEnded: (device: string) => `Signed out ${device}.`,
  endOthers: 'Sign out everywhere else',
  endOthersAsk: 'Sign out everywhere else?',
  endOthersSays: (count: number) =>
    count === 1
      ? 'One other device will be signed out right away.'
      : `${count} other devices will be signed out right away.`,
  othersEnded: 'All other devices are signed out.',
  openAccountLog: 'What happened to your account',

  recovery: 'Recovery address',
  recoverySays:
    'If you forget your password, we email you a link to set a new one. New sign-ins are reported there too. Only you can see this address.',
  recoveryEmail: 'Email address',
  sendCode: 'Send a code',
  sendingCode: 'Sending…',
  codeSentAgain: 'A new code is on its way. Earlier ones no longer work.',
  /** @param email the address that the code went to */
  codeSays: (email: string) =>
    `We’re sending an email to ${email}. Enter its code, or open its link. Both work for 15 minutes.`,
  code: 'Code from the email',
  codeLength: 'Enter the 8 digits from the email.',
  confirmCode: 'Confirm',
  confirmingCode: 'Confirming…',
  codeAgain: 'Send a new code',
  otherAddress: 'Use another address',
  addressKept: (email: string) => `Until then, ${email} stays your recovery address.`,
  addressConfirmed: 'Recovery address confirmed.',
  confirmed: 'Confirmed',
  changeAddress: 'Change',
  removeAddress: 'Remove',
  removeAddressAsk: 'Remove your recovery address?',
  removeAddressSays: (email: string) =>
    `If you forget your password, you can’t get back in by ${email}, and new sign-ins aren’t reported there.`,
  addressRemoved: 'Recovery address removed.',

  confirmTitle: 'Enter your password',
  confirmSays: 'Before you go on, confirm that it’s you.',
  passwordMissing: 'Enter your password.',
  confirmGo: 'Continue',
  confirming: 'Checking…',

  /** @param device such as `Firefox on Linux` */
  newSignIn: (device: string) => `New sign-in to your account: ${device}.`,
  newSignInCheck: 'Check devices',

  accountLogExplains:
    'Sign-ins and changes of the last 180 days. If you don’t recognize something, change your password.',
  accountLogEmpty: 'Nothing has happened yet',
  accountLogEmptySays: 'Sign-ins and changes will appear here.',
  accountLogMore: 'Show more',
  byOperator: 'By the administrator',
  acts: {
    signed_up: 'You created this account',
    signed_in: 'Signed in',
    signed_in_new: 'Signed in from a new device and network',
    sign_in_failed: (count: number) =>
      count === 1 ? 'A sign-in failed: wrong password' : `${count} sign-ins failed: wrong password`,
    signed_out: 'Signed out',
    session_ended: (device: string) => `${device} was signed out from another device`,
    session_idle: (device: string) => `${device} was signed out, as it hadn’t been used for long`,
    sessions_ended: (count: number) =>
      count === 1 ? 'One other device was signed out' : `${count} other devices were signed out`,
    sessions_surplus: (count: number) =>
      count === 1
        ? 'One device was signed out, as too many were signed in'
        : `${count} devices were signed out, as too many were signed in`,
    password_changed: 'Password changed',
    password_reset: 'New password set by a link',
    link_made: 'The administrator made a link to set a new password',
    email_verified: 'Recovery address confirmed',
    email_changed: 'Recovery address changed',
    email_removed: 'Recovery address removed',
    blocked: (name: string) => `You blocked ${name}`,
    unblocked: (name: string) => `You unblocked ${name}`,
    suspended: 'Account suspended',
    suspended_until: (time: string) => `Account suspended until ${time}`,
    restored: 'Account restored',
    deletion_asked: 'Account set to be deleted',
    deletion_undone: 'Account kept',
    export_made: 'Data downloaded',
    person: 'a person',
    device: 'a device',
    mail: {
      verify: 'Email sent: code to confirm an address',
      forgot: 'Email sent: link to set a new password',
      new_sign_in: 'Email sent: new sign-in',
      password_changed: 'Email sent: password changed',
      address_changed: 'Email sent: recovery address changed',
      suspended: 'Email sent: account suspended',
      deletion_asked: 'Email sent: account will be deleted',
      deletion_undone: 'Email sent: account stays',
      export_made: 'Email sent: data downloaded',
      other: 'Email sent',
    },
    unknown: 'Something else happened',
  },
};
