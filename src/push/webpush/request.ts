import { type Dispatcher, errors, type Pool } from 'undici';
import { TlsError } from './connector.ts';
import { PrivateAddressError } from './endpoint-guard.ts';
import type { FailureWord, RefusalWord } from './push-words.ts';

export interface PushRequest {
  endpoint: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Restricts this request to endpoints on the public internet, whatever the client's own reach. */
  isPublicOnly?: boolean;
  /** Called directly before the bytes are written, after any wait for a slot or a connection; false withdraws the request. */
  isWanted?: () => boolean;
}

/**
 * The result of one request. `retryAfter` is the raw header, an array if it was repeated. Only this header and the
 * status of an answer leave this file.
 */
export type PushResponse =
  | { kind: 'accepted'; status: number }
  | { kind: 'refused'; status: number; retryAfter?: string | string[] }
  | { kind: 'failed'; word: FailureWord | 'withdrawn' };

const MAX_ANSWER_BYTES = 65_536;

/**
 * Sends one request through `pool`. The status of the answer is the result, even if the rest fails: at most 64 KiB of that are read,
 * then the connection is dropped.
 *
 * @param settle called with the result, mostly before the end; only its first call counts
 * @returns when the connection is free again or gone
 */
export function sendRequest(
  pool: Pool,
  url: URL,
  { headers, body, isWanted }: PushRequest,
  remainingMs: number,
  settle: (response: PushResponse) => void,
): Promise<void> {
  return new Promise((onEnd) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isLate = false;
    let bytes = 0;
    const deadline = setTimeout(() => {
      isLate = true;
      settle({ kind: 'failed', word: 'timeout' });
      controller?.abort(new Error('deadline'));
    }, remainingMs);
    function end(): void {
      clearTimeout(deadline);
      onEnd();
    }

    const options = { path: url.pathname + url.search, method: 'POST', headers, body } as const;
    pool.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (isLate) return started.abort(new Error('deadline'));
        if (isWanted?.() === false) {
          settle({ kind: 'failed', word: 'withdrawn' });
          started.abort(new Error('withdrawn'));
        }
      },
      onResponseStart(_controller, status, answered) {
        if (status < 200) return;
        const retryAfter = answered['retry-after'];
        if (status < 300) settle({ kind: 'accepted', status });
        else settle({ kind: 'refused', status, ...(retryAfter !== undefined && { retryAfter }) });
      },
      onResponseData(answering, chunk) {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) answering.abort(new Error('long answer'));
      },
      onResponseEnd: end,
      onResponseError(_controller, error) {
        settle({ kind: 'failed', word: toFailureWord(error) });
        end();
      },
    });
  });
}

function toFailureWord(error: Error): FailureWord {
  if (error instanceof PrivateAddressError) return 'private_address';
  if (error instanceof TlsError) return 'tls';
  if (error instanceof errors.ConnectTimeoutError) return 'timeout';
  const isUnreadable =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.InvalidArgumentError;
  return isUnreadable ? 'protocol' : 'connect';
}

/** The push log's word for an answer that was not an acceptance. */
export function toPushWord(answer: Exclude<PushResponse, { kind: 'accepted' }>): FailureWord | RefusalWord {
  // Only the worker withdraws requests, and it does not log them.
  if (answer.kind === 'failed') return answer.word === 'withdrawn' ? 'fault' : answer.word;
  const { status } = answer;
  if (status === 404 || status === 410) return 'gone';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'refused';
}
