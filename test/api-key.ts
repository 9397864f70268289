import { addKey } from '../src/accounts/api-keys/api-keys.ts';
import { RIGHTS } from '../src/http/authenticate.ts';
import type { TestService } from './harness.ts';

/** Makes an API key. @returns what a call by it sends */
export async function makeKey(
  { services }: Pick<TestService, 'services'>,
  name = 'crm',
  may: Parameters<typeof addKey>[2] = RIGHTS,
): Promise<{ token: string }> {
  const token = await addKey(services.db, name, may, services.clock.now());
  if (token === undefined) throw new Error(`the name ${name} is taken`);
  return { token };
}
