import { type Dispatcher, errors, type Pool } from 'undici';
import { PrivateAddressError } from './endpoint-guard.ts';
import { TlsError } from './guarded-connector.ts';

export interface PushRequest {
  endpoint: string;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Asked directly before the bytes are written, after any wait for a turn or a connection. */
  isWanted?: () => boolean;
}

/**
 * What came of one request. `reason` is one line of up to 200 characters: the push service's own words if `refused`
 * (empty if it had none), ours if `failed`.
 */
export type PushAnswer =
  | { kind: 'accepted'; status: number }
  | { kind: 'refused'; status: number; retryAfterSeconds?: number; reason: string }
  | {
      kind: 'failed';
      word: 'timeout' | 'tls' | 'connect' | 'private_address' | 'protocol' | 'withdrawn';
      reason: string;
    };

const MAX_ANSWER_BYTES = 65_536;
const MAX_REASON_BYTES = 2_048;
const MAX_REASON_CODE_POINTS = 200;

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
    let retryAfterSeconds: number | undefined;
    let text = Buffer.alloc(0);
    let bytes = 0;

    function conclude(failure?: PushAnswer): void {
      if (status === 0) {
        if (failure) settle(failure);
      } else if (status < 300) settle({ kind: 'accepted', status });
      else {
        const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
        settle({ kind: 'refused', status, ...wait, reason: toReason(text.toString()) });
      }
    }
    const deadline = setTimeout(() => {
      late = true;
      conclude(toFailure('timeout', 'No answer in time'));
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
          settle(toFailure('withdrawn', 'No longer wanted'));
          started.abort(new Error('withdrawn'));
        }
      },
      onResponseStart(_controller, statusCode, answered) {
        if (statusCode < 200) return;
        status = statusCode;
        retryAfterSeconds = readRetryAfter(answered['retry-after']);
        if (status < 300) settle({ kind: 'accepted', status });
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        if (text.length < MAX_REASON_BYTES) text = Buffer.concat([text, chunk]).subarray(0, MAX_REASON_BYTES);
        if (bytes > MAX_ANSWER_BYTES) controller?.abort(new Error('long answer'));
      },
      onResponseEnd() {
        end();
      },
      onResponseError(_controller, error) {
        end(explain(error));
      },
    });
  });
}

/** @returns seconds from now, from either form of RFC 9110 10.2.3; `undefined` if it is neither */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function explain(error: Error): PushAnswer {
  // Where every address of a name failed, the message is empty and the code is that of the first.
  const reason = error.message || ('code' in error ? String(error.code) : error.name);
  if (error instanceof PrivateAddressError) return toFailure('private_address', reason);
  if (error instanceof TlsError) return toFailure('tls', reason);
  if (error instanceof errors.ConnectTimeoutError) return toFailure('timeout', reason);
  const unreadable =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.InvalidArgumentError;
  return toFailure(unreadable ? 'protocol' : 'connect', reason);
}

export function toFailure(word: Extract<PushAnswer, { kind: 'failed' }>['word'], reason: string): PushAnswer {
  return { kind: 'failed', word, reason: toReason(reason) };
}

function toReason(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return [...line].slice(0, MAX_REASON_CODE_POINTS).join('');
}
