/** A sentence for each word of an envelope that a page can meet (docs/protocol.md). */
export const errors = {
  username_taken: 'This username is taken. Choose another one.',
  username_length: 'Usernames must be 2–32 characters.',
  username_invalid: 'Usernames can’t contain invisible characters, or start or end with a space.',
  password_too_short: 'Use at least 6 characters.',
  password_too_long: 'Use at most 128 characters.',
  password_common: 'This password is too common. Choose another one.',
  nickname_too_long: 'Display names can have up to 64 characters.',
  nickname_invalid: 'Display names can’t contain invisible characters, or start or end with a space.',
  avatar_invalid: 'Enter an image link that starts with https://',
  invite_required: 'Enter a valid invite code. If yours has expired or been used, ask for a new one.',
  registration_closed: 'New accounts can’t be created here right now. Contact the administrator.',
  invalid_field: 'Check the fields and try again.',

  unknown_user: 'No account with this username.',
  wrong_password: 'Wrong password.',
  wrong_old_password: 'Your current password is wrong.',
  link_invalid: 'This link has expired or was already used. Ask for a new one.',
  account_suspended: 'This account has been suspended. Contact the administrator.',
  too_many_logins:
    'Too many wrong passwords for this account. Try again in a minute, or use a device where you’ve signed in before.',
  user_not_found: 'This account no longer exists.',
  session_not_found: 'This device is already signed out.',
  subscription_not_found: 'This device no longer gets notifications.',

  push_unavailable: 'Your browser couldn’t turn on notifications. Try again, or restart your browser.',
  endpoint_private: 'This browser’s push service can’t be used here. Try another browser.',
  endpoint_port: 'This browser’s push service can’t be used here. Try another browser.',
  endpoint_not_https: 'This browser’s push service can’t be used here. Try another browser.',
  endpoint_invalid: 'This browser’s push service can’t be used here. Try another browser.',
  endpoint_too_long: 'This browser’s push service can’t be used here. Try another browser.',

  not_accepting: 'This person isn’t accepting messages right now.',
  unblock_first: 'You blocked this person. Unblock them first.',
  too_many_messages: 'You’re sending messages too fast. Wait a moment.',
  cid_used: 'This message wasn’t sent. Please write it again.',
  message_self: 'You can’t message yourself. Choose someone else.',
  block_self: 'You can’t block yourself.',
  friend_self: 'You can’t add yourself as a friend.',
  friend_state: 'This just changed. Please check again.',

  too_many_friend_requests: 'Too many friend requests. Try again later.',
  too_many_requests_to_user: 'Too many requests to this person. Try again later.',
  too_many_open_requests: 'You have too many unanswered friend requests. Cancel some first.',
  too_many_test_sends: 'Too many test notifications. Wait a minute and try again.',

  unreachable: 'Can’t reach the server. Check your connection and try again.',
  signed_out: 'You’re signed out. Please sign in again.',
  unauthenticated: 'You’re signed out. Please sign in again.',
  overloaded: 'The server is busy right now. Try again in a moment.',
  internal: 'Something went wrong on our end. Please try again.',
  body_too_large: 'This is too long. Shorten it and try again.',
  storage_failed: 'Your browser couldn’t save this. Please try again.',
  bad_text: 'This contains characters that can’t be sent. Remove them and try again.',
  frame_rejected: 'The server couldn’t read this message. Try writing it differently.',
  body_bad_text: 'This contains characters that can’t be sent. Remove them and try again.',
  forbidden: 'You don’t have permission to do that.',
};

export const errorTexts = {
  /** @param wait how long, in words, such as `30 seconds` */
  rateLimited: (wait: string) => `Too many attempts. Try again in ${wait}.`,
  /** @param wait as above */
  networkLimited: (wait: string) =>
    `Too many sign-ins and new accounts from this network. Try again in ${wait}.`,
  networkLimitedSoon: 'Too many sign-ins and new accounts from this network. Wait a moment and try again.',
  rateLimitedSoon: 'Too many attempts. Wait a moment and try again.',
  other: 'Something went wrong. Please try again.',
};
