/** Texts of the data of the user, and of the deletion of their account. */
export const leaving = {
  data: 'Your data',
  dataSays:
    'One file with your profile, settings, devices, people, messages, the pictures you sent, and your logs. Each of its lines is JSON, which other programs can read. You can download it 3 times a day.',
  download: 'Download your data',
  preparing: 'Preparing…',
  downloading: 'Your browser is downloading your data.',

  delete: 'Delete account',
  deleteSays: 'Leave for good. You see what goes and what stays before you decide.',
  deleteAsk: 'Delete your account?',
  /** What happens, one after the other. */
  signsOut: 'You’re signed out on all your devices. No one can find you or write to you.',
  /** @param until date and time */
  canReturn: (until: string) =>
    `Until ${until} you can change your mind: sign in and choose “Keep my account”. Everything comes back, but notifications have to be turned on again.`,
  goesLater:
    'After that, your profile, friends, blocks, settings, recovery address and logs are deleted for good.',
  goesNow:
    'Your profile, friends, blocks, settings, recovery address and logs are deleted right away. This can’t be undone.',
  stays: 'Messages and pictures you sent stay with the people you sent them to, without your name.',
  nameStays: (username: string) => `No one can use the username ${username} again, not even you.`,
  loses: (count: number) =>
    count === 1
      ? '1 message hasn’t been sent yet and will be lost.'
      : `${count} messages haven’t been sent yet and will be lost.`,
  typeName: 'Type your username to confirm',
  otherName: 'This isn’t your username.',
  deleting: 'Deleting…',
};
