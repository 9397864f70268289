// The error of a field is the error word that the service would answer.

/** The parts of a field from top to bottom; a hint and an error have the same place. */
export const INPUT_ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];

/** The length as the service counts it. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A new username has 2 to 32 characters (interface 2.1) that can be read and typed. */
export function checkUsername(username: string): 'username_length' | 'username_invalid' | undefined {
  const length = codePoints(username);
  if (length < 2 || length > 32) return 'username_length';
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|^\s|\s$/u.test(username)) return 'username_invalid';
  return undefined;
}

/** A new password has 6 to 128 characters (interface 2.1). */
export function checkPassword(password: string): 'password_too_short' | 'password_too_long' | undefined {
  const length = codePoints(password);
  if (length < 6) return 'password_too_short';
  if (length > 128) return 'password_too_long';
  return undefined;
}

/** A nickname has up to 64 characters; an empty one means that the username is shown. */
export function checkNickname(nickname: string): 'nickname_too_long' | undefined {
  return codePoints(nickname) > 64 ? 'nickname_too_long' : undefined;
}

/** The field that an error word of the service belongs to. */
export function fieldOf(word: string): 'username' | 'password' | 'invite' | 'nickname' | undefined {
  switch (word) {
    case 'username_taken':
    case 'username_length':
    case 'username_invalid':
    case 'unknown_user':
      return 'username';
    case 'password_too_short':
    case 'password_too_long':
    case 'password_common':
    case 'wrong_password':
      return 'password';
    case 'invite_required':
      return 'invite';
    case 'nickname_invalid':
      return 'nickname';
    default:
      return undefined;
  }
}
