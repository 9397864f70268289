import { once } from 'node:events';
import { get } from 'node:http';
import { readConfig } from '../config/config.ts';
import { origin } from '../config/fields.ts';
import type { Context } from './context.ts';
import { explain } from './explain.ts';
import { type Options, UsageError } from './run.ts';

const ANSWER_MS = 3_000;
/** A server that listens on all addresses is asked at a loopback one. */
const LOOPBACK_OF: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * `health [--url URL]`: whether the server with these settings, or another one by its http origin, answers `/healthz` with 200 within 3 s. For
 * the health check of a container and of monitoring; it opens no database.
 */
export async function health(
  { env, output, errors }: Context,
  _words: string[],
  { url }: Options,
): Promise<number> {
  const server = typeof url === 'string' ? origin(url) : ownOrigin(env);
  if (!server?.startsWith('http:')) throw new UsageError();
  const fault = await findFault(`${server}/healthz`);
  if (fault === undefined) output.write(`${server} is healthy\n`);
  else errors.write(`${server} is not healthy: ${fault}\n`);
  return fault === undefined ? 0 : 1;
}

function ownOrigin(env: NodeJS.ProcessEnv): string {
  const { host, port } = readConfig(env);
  if (port === 0) throw new Error('PORT is 0, any free port: name the server by --url');
  const address = LOOPBACK_OF[host] ?? host;
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}:${port}`).origin;
}

async function findFault(url: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const [response] = await once(get(url, { signal, agent: false }), 'response');
    response.destroy();
    return response.statusCode === 200 ? undefined : `the answer is ${response.statusCode}`;
  } catch (error) {
    return signal.aborted ? `no answer within ${ANSWER_MS / 1_000} s` : explain(error);
  }
}
