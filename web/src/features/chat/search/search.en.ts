export const search = {
  messages: 'Messages',
  you: 'You: ',
  nothing: 'Nothing found',
  nothingSays: 'No name and no message contains this.',

  /** Within a conversation. */
  inChat: 'Search messages',
  inChatSays: 'Type a word, or a part of one.',
  end: 'Done',
  previous: 'Previous result',
  next: 'Next result',
  /** @param total "17", or "17+" if there may be more */
  place: (place: string, total: string) => `${place} of ${total}`,
  results: (total: string) => (total === '1' ? '1 result' : `${total} results`),
  none: 'No messages found',

  searching: 'Searching…',
  /** How far it searched. */
  searched: (count: string) => `Searched ${count} messages so far.`,
  further: 'Keep searching',
  onDevice: 'You’re offline. Only messages saved on this device are searched.',
  failed: 'Couldn’t search messages.',
  waits: (wait: string) => `Search paused. It continues in ${wait}.`,
};
