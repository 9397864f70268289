import { type Dispatcher, errors, type Pool } from 'undici';
import { PrivateAddressError } from './endpoint-guard.ts';
import { TlsError } from './guarded-connector.ts';
import type { FailureWord, RefusalWord } from './push-words.ts';

export interface PushRequest {
  endpoint: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Fails if the endpoint does not pass as one of the public internet, where the sender itself would reach further. */
  isPublicOnly?: boolean;
  /** Asked directly before the bytes are written, after any wait for a turn or a connection. */
  isWanted?: () => boolean;
}

/**
 * What came of one request. `retryAfter` is the header as it came, repeated ones as an array; nothing else of an answer
 * leaves this file but its status.
 */
export type PushAnswer =
  | { kind: 'accepted'; status: number }
  | { kind: 'refused'; status: number; retryAfter?: string | string[] }
  | { kind: 'failed'; word: FailureWord | 'withdrawn' };

const MAX_ANSWER_BYTES = 65_536;

/**
 * One request over one pool. Of the answer at most 64 KiB are read, then the connection is dropped. Once the status is
 * known it counts, whatever becomes of the rest; an acceptance is told without waiting for the rest.
 *
 * @param onEnd called once, when the connection is free again or gone
 */
export function exchange(
  pool: Pool,
  url: URL,
  { headers, body, isWanted }: PushRequest,
  remainingMs: number,
  onEnd: () => void,
): Promise<PushAnswer> {
  return new Promise((settle) => {
    let controller: Dispatcher.DispatchController | undefined;
    let late = false;
    let status = 0;
    let retryAfter: string | string[] | undefined;
    let bytes = 0;

    function conclude(failure?: PushAnswer): void {
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
    function end(failure?: PushAnswer): void {
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

/** The push log's word for an answer that is no acceptance. */
export function toPushWord(answer: Exclude<PushAnswer, { kind: 'accepted' }>): FailureWord | RefusalWord {
  // The worker drops a withdrawn push without a word, and no other sender withdraws any.
  if (answer.kind === 'failed') return answer.word === 'withdrawn' ? 'fault' : answer.word;
  const { status } = answer;
  if (status === 404 || status === 410) return 'gone';
  if (status === 413) return 'too_large';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'refused';
}
