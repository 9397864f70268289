/** A sentence for each word of an envelope that a page can meet (docs/protocol.md), but those of `auth.errors` and `settings.errors`. */
export const errors = {
  password_too_short: 'Use at least 6 characters.',
  password_too_long: 'Use at most 128 characters.',
  password_common: 'This password is too common. Choose another one.',
  nickname_too_long: 'Display names can have up to 64 characters.',
  nickname_invalid: 'Display names can’t contain invisible characters, or start or end with a space.',
  avatar_invalid: 'Enter an image link that starts with https://',
  invalid_field: 'Check the fields and try again.',

  wrong_password: 'Wrong password.',
  account_suspended: 'This account has been suspended. Contact the administrator.',
  user_not_found: 'This account no longer exists.',

  not_accepting: 'This person isn’t accepting messages right now.',
  unblock_first: 'You blocked this person. Unblock them first.',
  too_many_messages: 'You’re sending messages too fast. Wait a moment.',
  too_many_searches: 'Too many searches. Wait a moment.',
  cid_used: 'This message wasn’t sent. Please write it again.',
  too_late: 'This is possible for 24 hours only.',
  message_unsent: 'This message was unsent.',
  message_not_found: 'This message no longer exists.',
  emoji_invalid: 'Choose another emoji.',
  reply_unknown: 'The message you replied to no longer exists.',
  message_self: 'You can’t message yourself. Choose someone else.',
  block_self: 'You can’t block yourself.',
  friend_self: 'You can’t add yourself as a friend.',
  friend_state: 'This just changed. Please check again.',
  too_many_pins: 'You can pin up to 5 conversations. Unpin one first.',
  conversation_not_found: 'This conversation has no messages.',

  picture_type: 'Use a JPEG, PNG or WebP picture.',
  picture_invalid: 'This picture is damaged. Choose another one.',
  picture_size: 'This picture has the wrong size. Choose another one.',
  picture_too_large: 'This picture is too large. Choose a smaller one.',
  picture_unknown: 'This picture is no longer available. Choose it again.',
  too_many_pictures: 'You’ve sent many pictures. Try again later.',
  pictures_off: 'Pictures can’t be sent right now.',

  too_many_friend_requests: 'Too many friend requests. Try again later.',
  too_many_requests_to_user: 'Too many requests to this person. Try again later.',
  too_many_open_requests: 'You have too many unanswered friend requests. Cancel some first.',

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
  rateLimitedSoon: 'Too many attempts. Wait a moment and try again.',
  /** @param time date and time */
  suspendedUntil: (time: string) => `This account is suspended until ${time}.`,
  /** Follows a sentence. @param reason as the operator wrote it */
  reason: (reason: string) => ` Reason: ${reason}`,
  other: 'Something went wrong. Please try again.',
};
