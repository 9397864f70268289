/** Texts of Settings > Privacy. Each choice says what it means. */
export const privacy = {
  messages: {
    title: 'Who can message you',
    answers: {
      everyone: { label: 'Everyone', says: 'Anyone can write to you.' },
      requests: {
        label: 'Requests',
        says: 'The first message from someone who isn’t your friend waits until you accept it.',
      },
      friends: {
        label: 'Friends',
        says: 'Only friends can start a conversation. The ones you already have go on.',
      },
    },
  },
  friendRequests: {
    title: 'Who can send you friend requests',
    answers: {
      everyone: { label: 'Everyone', says: 'Anyone can ask you to be friends.' },
      nobody: { label: 'No one', says: 'Only you can send requests.' },
    },
  },
  presence: {
    title: 'Who sees when you’re online',
    answers: {
      everyone: { label: 'Everyone', says: 'Anyone sees when you’re online and when you were last here.' },
      friends: { label: 'Friends', says: 'Only friends see it. You see only when they’re online.' },
      nobody: { label: 'No one', says: 'No one sees it, and you don’t see when others are online.' },
    },
  },
  readReceipts: {
    title: 'Read receipts',
    answers: {
      on: {
        label: 'On',
        says: 'Others see when you’ve read their messages, and you see when they’ve read yours.',
      },
      off: { label: 'Off', says: 'Neither of you sees what was read, only what was delivered.' },
    },
  },
  listed: {
    title: 'Listed among all people',
    answers: {
      on: { label: 'Yes', says: 'People find you by a part of your name.' },
      off: { label: 'No', says: 'People find you only by your whole username.' },
    },
  },
};
