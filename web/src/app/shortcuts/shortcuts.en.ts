export const shortcuts = {
  title: 'Keyboard shortcuts',
  goTo: 'Go to a person',
  next: 'Next chat',
  previous: 'Previous chat',
  nextUnread: 'Next unread chat',
  previousUnread: 'Previous unread chat',
  toList: 'Back to the list',
  send: 'Send message',
  newLine: 'New line',
  help: 'Show keyboard shortcuts',
};
