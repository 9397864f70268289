export const signOut = {
  signOutAsk: 'Sign out on this device?',
  signOutSays: 'Conversations saved in this browser will be removed. They stay on the server.',
  signOutLoses: (count: number) =>
    count === 1
      ? '1 message hasn’t been sent yet and will be lost.'
      : `${count} messages haven’t been sent yet and will be lost.`,
  signOutAnyway: 'Sign out anyway',
};
