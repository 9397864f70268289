import { readFile } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';

const FILE = new URL('common-passwords.txt', import.meta.url);

/** Reads the passwords that `PASSWORD_LIST=refuse` refuses, in lower case. */
export async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const [, words = ''] = (await readFile(FILE, 'utf8')).split('\n\n');
  return new Set(words.trimEnd().split('\n'));
}

/**
 * Refuses a password that users choose often, in any letter case, since that is what is tried first. Every route by which a user
 * sets a password asks this.
 *
 * @throws {ServiceError} `invalid`, word `password_common`
 */
export function refuseCommonPassword(common: ReadonlySet<string>, password: string): void {
  if (common.has(password.toLowerCase()))
    throw new ServiceError('invalid', 'password_common', '密码过于常见，请换一个');
}
