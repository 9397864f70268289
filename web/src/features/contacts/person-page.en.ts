export const personPage = {
  profileOffline: 'You need a connection to see this profile',
  profileFailed: 'Couldn’t load this profile',
  profileFailedSays: 'Check your connection and try again.',
  toPeople: 'All people',
};
