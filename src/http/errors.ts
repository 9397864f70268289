import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, ServiceError } from '../errors.ts';
import { addressKeyOf } from './client-address.ts';
import { isEnglishPath, pathOf } from './request-path.ts';
import { ENGLISH_TEXTS } from './texts/english-texts.ts';
import { prefersEnglish } from './texts/language.ts';
import { addVary } from './vary.ts';

/** Interface 7. */
export const CODES: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'rate-limited': 429,
};

/** Our texts for refusals that any route may have. */
const TEXTS: Record<string, string> = {
  unauthenticated: '未登录或登录已过期',
  rate_limited: '请求过于频繁，请稍后再试',
  overloaded: '服务繁忙，请稍后再试',
  route_not_found: '接口不存在',
  media_type: '请求体需为 application/json',
  content_encoding: '不支持压缩的请求体',
  body_empty: '请求体不能为空',
  body_too_large: '请求体过大',
  body_not_utf8: '请求体不是有效的 UTF-8',
  body_not_json: '请求体不是有效的 JSON',
  body_not_object: '请求体需为 JSON 对象',
  body_too_deep: '请求体嵌套过深',
  body_bad_text: '请求体包含无效字符',
  malformed_request: '请求格式不正确',
};

const INTERNAL = '服务器内部错误';

/** The refusals of registration and login whose texts the contract prints (interface 7). */
const PRINTED_PATHS = ['/api/register', '/api/login'];
const PRINTED_WORDS = [
  'username_taken',
  'username_length',
  'password_too_short',
  'unknown_user',
  'wrong_password',
];

const { unauthenticated, rate_limited, overloaded, route_not_found: _, ...ofRequests } = TEXTS;

/** The words that any call may be refused with, by code. */
export const WORDS_OF_ANY_CALL: Record<string, readonly string[]> = {
  400: Object.keys(ofRequests),
  401: Object.keys({ unauthenticated }),
  429: Object.keys({ rate_limited, overloaded }),
  500: ['internal'],
};

export function refusal(kind: ErrorKind, word: keyof typeof TEXTS & string, retryAfterSeconds?: number) {
  const options = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new ServiceError(kind, word, TEXTS[word] ?? word, options);
}

/** The text of a refusal, or of any other error, which is a fault. */
export function errorText(error: unknown, isEnglish: boolean): string {
  const { word, message, english }: Pick<ServiceError, 'word' | 'message' | 'english'> =
    error instanceof ServiceError ? error : { word: 'internal', message: INTERNAL, english: undefined };
  return isEnglish ? (english ?? ENGLISH_TEXTS[word] ?? message) : message;
}

/** Chinese, but English on the push endpoints, and for callers who prefer another language; what the contract prints never changes. */
function isEnglishAnswer(request: FastifyRequest, word: string): boolean {
  const path = pathOf(request);
  if (PRINTED_PATHS.includes(path) && PRINTED_WORDS.includes(word)) return false;
  return isEnglishPath(path) || prefersEnglish(request.headers);
}

/** The envelope of a failure (interface 4.1): `code` is the HTTP status too. */
export function errorBody(code: number, word: string, msg: string): string {
  return JSON.stringify({ code, error: word, msg });
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refused = error instanceof ServiceError ? error : fromFramework(error);
  reply.header('content-type', 'application/json; charset=utf-8');
  // Answers under /api/ are stored by no cache.
  if (!pathOf(request).startsWith('/api/')) addVary(reply, 'Accept-Language');
  keepConnection(reply);
  if (!refused) {
    if (!isDisconnect(error, request, reply))
      request.log.error(
        {
          err: error,
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url,
        },
        'fault',
      );
    const msg = errorText(error, isEnglishAnswer(request, 'internal'));
    return reply.code(500).send(errorBody(500, 'internal', msg));
  }
  if (refused.kind === 'rate-limited') noteLimited(request, refused);
  const code = CODES[refused.kind];
  if (refused.retryAfterSeconds !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(refused.retryAfterSeconds)));
  // RFC 9110, 15.5.2; RFC 6750, 3.
  if (code === 401) reply.header('www-authenticate', 'Bearer');
  const msg = errorText(refused, isEnglishAnswer(request, refused.word));
  return reply.code(code).send(errorBody(code, refused.word, msg));
}

function noteLimited({ caller, raw, server }: FastifyRequest, { userId, word }: ServiceError): void {
  server.hooks.countRefusal(word, userId ?? caller?.userId, addressKeyOf(raw, server.trustProxy));
}

/**
 * Keeps a connection open that the framework would close because it refused a body: the rest of a large body may still
 * arrive, and would end the connection before the client has read the answer. Node reads the rest and drops it.
 */
function keepConnection(reply: FastifyReply): void {
  const isOurHeader = reply.hasHeader('connection') && !reply.raw.hasHeader('connection');
  if (isOurHeader && reply.raw.shouldKeepAlive) reply.header('connection', 'keep-alive');
}

/** Whether the client has disconnected, so that the error is no fault. */
function isDisconnect(error: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
  if (!(error instanceof Error)) return false;
  const wasWaiting = error.name === 'AbortError' && reply.raw.destroyed;
  const sentHalf = 'code' in error && error.code === 'ECONNRESET' && request.raw.complete === false;
  return wasWaiting || sentHalf;
}

/** A refusal of the framework as one of ours; `undefined` for a fault. */
function fromFramework(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusal('invalid', 'body_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refusal('invalid', 'media_type');
    default:
      return isClientFault(error) ? refusal('invalid', 'malformed_request') : undefined;
  }
}

function isClientFault(error: Error & { code: unknown }): boolean {
  if (typeof error.code !== 'string' || !error.code.startsWith('FST_') || !('statusCode' in error))
    return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
