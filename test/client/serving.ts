import type { TestContext } from 'node:test';
import type { World } from '../../src/services.ts';
import type { TestDatabase } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';

/** The whole service on a real port, and its address. */
export async function serve(
  t: TestContext,
  database: TestDatabase,
  options: { env?: Record<string, string>; world?: World } = {},
): Promise<TestService & { url: string }> {
  const service = await startService(t, database, options);
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  return { ...service, url };
}
