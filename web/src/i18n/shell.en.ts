export const shell = {
  brand: 'Doorman',
  skip: 'Skip to content',
  navigation: 'Main navigation',
  chats: 'Chats',
  people: 'People',
  settings: 'Settings',
  back: 'Back',
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  loading: 'Loading',
  more: 'Show more',
  less: 'Show less',
  online: 'online',
  idle: 'away',
  gone: 'Deleted account',
  you: 'You',
  ownProfile: 'your profile',
  unread: (count: number) => `${count} unread`,
  requests: (count: number) => (count === 1 ? '1 friend request' : `${count} friend requests`),

  noFiles: 'Files and pictures can’t be sent yet, only text.',

  connecting: 'Connecting…',
  offline: 'You’re offline. Messages will be sent when you’re back.',
  tryNow: 'Try now',
  replaced: 'Doorman is open in too many tabs.',
  broken: 'This page is out of date. Reload it to keep using Doorman.',
  takeOver: 'Use here',
  reload: 'Reload',
  updateReady: 'A new version is available.',
  storageFailed: {
    full: 'This browser’s storage is full. Keep this page open until your messages are sent.',
    other: 'This browser can’t save data. Keep this page open until your messages are sent.',
  },
  update: 'Update',
  later: 'Later',

  signOut: 'Sign out',
  signOutAsk: 'Sign out on this device?',
  signOutSays: 'Conversations saved in this browser will be removed. They stay on the server.',
  signOutLoses: (count: number) =>
    count === 1
      ? '1 message hasn’t been sent yet and will be lost.'
      : `${count} messages haven’t been sent yet and will be lost.`,
  signOutAnyway: 'Sign out anyway',

  notFoundTitle: 'Not found',
  notFound: 'This page doesn’t exist',
  notFoundSays: 'The address may be mistyped or out of date.',
  toChats: 'Back to chats',
  crashed: 'Something went wrong',
  crashedSays: 'What you wrote is saved. Reload the page to continue.',

  device: (browser: string, system: string) => `${browser} on ${system}`,

  language: 'Language',
  languages: { zh: '中文', en: 'English' },
  colorScheme: 'Appearance',
  colorSchemes: { auto: 'System', light: 'Light', dark: 'Dark' },

  noChatOpen: 'Select a conversation',
  newMessage: 'New message',
  findPeople: 'Find people',
  noPersonOpen: 'Select someone',
  noPersonOpenSays: 'See their profile or send a message.',
};
