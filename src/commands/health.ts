import { get } from 'node:http';
import { parseArgs } from 'node:util';
import { readConfig } from '../config/config.ts';
import { origin } from '../config/fields.ts';
import type { Context } from './context.ts';
import { explain } from './explain.ts';
import { UsageError } from './run.ts';

const ANSWER_MS = 3_000;
/** A server that listens on all addresses is asked at a loopback one. */
const LOOPBACK_OF: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * `health [--url URL]`: whether the server with these settings, or another one by its http origin, answers `/healthz` with 200 within 3 s. For
 * the health check of a container and of monitoring; it opens no database.
 */
export async function health({ env, output, errors }: Context, args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { url: { type: 'string' } } });
  const server = values.url === undefined ? ownOrigin(env) : origin(values.url);
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
    const status = await new Promise<number | undefined>((resolve, reject) => {
      get(url, { signal, agent: false }, (response) => {
        response.destroy();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    return status === 200 ? undefined : `the answer is ${status}`;
  } catch (error) {
    return signal.aborted ? `no answer within ${ANSWER_MS / 1_000} s` : explain(error);
  }
}
