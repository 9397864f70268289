export const emptyDirectory = {
  nobodyOnline: 'No one else is online',
  nobodyOnlineSays: 'You can still send messages. People will see them when they’re back.',
  onlineHidden: 'You don’t see who’s online',
  onlineHiddenSays:
    'You see this list only while everyone can see when you’re online. Change it under Settings > Privacy.',
};
