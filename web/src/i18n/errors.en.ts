/** A sentence for each word of an envelope that a page can meet (docs/protocol.md). */
export const errors = {
  username_taken: 'This username is taken. Please choose another one.',
  username_length: 'A username has 2 to 32 characters.',
  username_invalid: 'This username has characters that cannot be shown, or a space at its start or end.',
  password_too_short: 'A password has at least 6 characters.',
  password_too_long: 'A password has at most 128 characters.',
  nickname_too_long: 'A nickname has at most 64 characters.',
  nickname_invalid: 'This nickname has characters that cannot be seen, or a space at its start or end.',
  avatar_invalid: 'This is not an address of a picture. It should begin with https://',
  invalid_field: 'Something here is not quite right. Please check what you entered.',

  unknown_user: 'Nobody here has this username.',
  wrong_password: 'This password is not right.',
  wrong_old_password: 'Your old password is not right.',
  account_suspended: 'This account has been suspended. Ask whoever runs this service.',
  too_many_logins:
    'Many wrong passwords were entered for this account. Please try again in a minute, or use a device where you signed in before.',
  user_not_found: 'This person is not here any more.',
  session_not_found: 'This device is signed out already.',
  subscription_not_found: 'This device does not get notifications any more.',

  push_unavailable: 'This browser would not set up notifications. Try again, or restart it.',
  endpoint_private: 'The push service of this browser cannot be used here.',
  endpoint_port: 'The push service of this browser cannot be used here.',
  endpoint_not_https: 'The push service of this browser cannot be used here.',
  endpoint_invalid: 'The push service of this browser cannot be used here.',
  endpoint_too_long: 'The push service of this browser cannot be used here.',

  not_accepting: 'This person does not take messages at the moment.',
  unblock_first: 'You blocked this person. Unblock them first.',
  too_many_messages: 'That was many messages at once. Wait a moment, then go on.',
  cid_used: 'This message was not sent. Write it again.',
  message_self: 'This is you. Pick somebody else to write to.',
  block_self: 'You cannot block yourself.',
  friend_self: 'You cannot befriend yourself.',
  friend_state: 'This has changed meanwhile. Look again.',

  too_many_friend_requests: 'Too many friend requests. Try again later.',
  too_many_requests_to_user: 'Too many requests to this person. Try again later.',
  too_many_open_requests: 'Too many of your friend requests are unanswered. Cancel some first.',
  too_many_test_sends: 'Too many test notifications. Wait a minute and try again.',

  unreachable: 'The service cannot be reached. Check your connection and try again.',
  signed_out: 'You are signed out. Please sign in again.',
  unauthenticated: 'You are signed out. Please sign in again.',
  overloaded: 'Very busy at the moment. Please try again shortly.',
  internal: 'Something went wrong at our end. Please try again.',
  body_too_large: 'This is too long.',
  storage_failed: 'This browser could not save it. Please try again.',
  bad_text: 'This has characters that cannot be sent.',
  frame_rejected: 'The service could not read this message. Please write it in another way.',
  body_bad_text: 'This has characters that cannot be sent.',
  forbidden: 'You are not allowed to do that.',
};

export const errorTexts = {
  /** @param wait how long, in words, such as `30 seconds` */
  rateLimited: (wait: string) => `That was often. Please try again in ${wait}.`,
  /** @param wait as above */
  networkLimited: (wait: string) =>
    `There were too many sign-ins and new accounts from this network. Please try again in ${wait}.`,
  networkLimitedSoon:
    'There were too many sign-ins and new accounts from this network. Please wait a little and try again.',
  rateLimitedSoon: 'That was often. Please wait a little and try again.',
  other: 'That did not work. Please try again.',
};
