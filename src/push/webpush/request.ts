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
 * Sends one request through `pool`. It reads at most 64 KiB of the answer, then drops the connection. Once the status
 * is known it decides, even if the rest fails; an acceptance resolves without waiting for the rest.
 *
 * @param onEnd called once, when the connection is free again or gone
 */
export function sendRequest(
  pool: Pool,
  url: URL,
  { headers, body, isWanted }: PushRequest,
  remainingMs: number,
  onEnd: () => void,
): Promise<PushResponse> {
  return new Promise((settle) => {
    let controller: Dispatcher.DispatchController | undefined;
    let late = false;
    let status = 0;
    let retryAfter: string | string[] | undefined;
    let bytes = 0;

    function conclude(failure?: PushResponse): void {
      if (status === 0) {
        if (failure) settle(failure);
      } else if (status < 300) settle({ kind: 'accepted', status });
      else {
        const wait = retryAfter === undefined ? {} : { retryAfter };
        settle({ kind: 'refused', status, ...wait });
      }
    }
    const deadline = setTimeout(() => {
      late = true;
      conclude({ kind: 'failed', word: 'timeout' });
      controller?.abort(new Error('deadline'));
    }, remainingMs);
    function end(failure?: PushResponse): void {
      clearTimeout(deadline);
      conclude(failure);
      onEnd();
    }

    const options = { path: url.pathname + url.search, method: 'POST', headers, body } as const;
    pool.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (late) return started.abort(new Error('deadline'));
        if (isWanted?.() === false) {
          settle({ kind: 'failed', word: 'withdrawn' });
          started.abort(new Error('withdrawn'));
        }
      },
      onResponseStart(_controller, statusCode, answered) {
        if (statusCode < 200) return;
        status = statusCode;
        retryAfter = answered['retry-after'];
        if (status < 300) settle({ kind: 'accepted', status });
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) controller?.abort(new Error('long answer'));
      },
      onResponseEnd() {
        end();
      },
      onResponseError(_controller, error) {
        end({ kind: 'failed', word: toFailureWord(error) });
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
