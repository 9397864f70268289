import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorKind, ServiceError } from '../errors.ts';
import { addressKeyOf } from './client-address.ts';
import { pathOf } from './request-path.ts';
import { ENGLISH_TEXTS } from './texts/english-texts.ts';
import { prefersEnglish } from './texts/language.ts';
import { addVary } from './vary.ts';

/** Interface 7. */
const CODES: Record<ErrorKind, number> = {
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
  key_in_browser: '浏览器不能使用 API 密钥',
  key_required: '需要有效的 API 密钥',
  key_not_allowed: '此 API 密钥没有该权限',
};

const FAULT = {
  kind: undefined,
  word: 'internal',
  message: '服务器内部错误',
  english: undefined,
  fields: undefined,
};

/** The words of the framework's refusals by their status; all others are malformed requests. */
const FRAMEWORK_WORDS: Record<number, string> = { 413: 'body_too_large', 415: 'media_type' };

/** The refusals of registration and login whose texts the contract prints (interface 7). */
const PRINTED_PATHS = ['/api/register', '/api/login'];
const PRINTED_WORDS = [
  'username_taken',
  'username_length',
  'password_too_short',
  'unknown_user',
  'wrong_password',
];

const {
  unauthenticated,
  rate_limited,
  overloaded,
  key_in_browser,
  key_required,
  key_not_allowed,
  ...others
} = TEXTS;
const { route_not_found: _, ...ofRequests } = others;

/** The words that any call may be refused with, by code. */
export const WORDS_OF_ANY_CALL: Record<string, readonly string[]> = {
  400: Object.keys(ofRequests),
  401: Object.keys({ unauthenticated }),
  429: Object.keys({ rate_limited, overloaded }),
  500: ['internal'],
};

/** The words that any call of a route for API keys may be refused with, by code. */
export const WORDS_OF_KEY_CALLS: Record<string, readonly string[]> = {
  401: Object.keys({ key_required }),
  403: Object.keys({ key_in_browser, key_not_allowed }),
};

export function refusal(
  kind: ErrorKind,
  word: string,
  options?: { retryAfterSeconds: number; limit?: string },
) {
  return new ServiceError(kind, word, TEXTS[word] ?? word, options);
}

/** The envelope of a failure (interface 4.1): `code` is the HTTP status too. Any error but a `ServiceError` is a fault. */
export function failureOf(error: unknown, isEnglish: boolean): { code: number; error: string; msg: string } {
  const { kind, word, message, english, fields } = error instanceof ServiceError ? error : FAULT;
  const msg = isEnglish ? (english ?? ENGLISH_TEXTS[word] ?? message) : message;
  return { code: kind ? CODES[kind] : 500, error: word, msg, ...fields };
}

/** Chinese, but English on the push endpoints, and for callers who prefer another language; what the contract prints never changes. */
function isEnglishAnswer(request: FastifyRequest, word: string | undefined): boolean {
  const path = pathOf(request);
  if (PRINTED_PATHS.includes(path) && word !== undefined && PRINTED_WORDS.includes(word)) return false;
  return path.startsWith('/api/push/') || prefersEnglish(request.headers);
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refused = error instanceof ServiceError ? error : fromFramework(error);
  const failure = failureOf(refused, isEnglishAnswer(request, refused?.word));
  reply.header('content-type', 'application/json; charset=utf-8');
  // Answers under /api/ are stored by no cache.
  if (!pathOf(request).startsWith('/api/')) addVary(reply, 'Accept-Language');
  keepConnection(reply);
  const { id, method, caller, raw, server } = request;
  if (!refused && !isDisconnect(error, request, reply))
    request.log.error({ err: error, requestId: id, method, route: request.routeOptions.url }, 'fault');
  if (refused?.kind === 'rate-limited')
    server.hooks.countRefusal(
      refused,
      refused.userId ?? caller?.userId,
      addressKeyOf(raw, server.trustProxy),
    );
  if (refused?.retryAfterSeconds !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(refused.retryAfterSeconds)));
  // RFC 9110, 15.5.2; RFC 6750, 3.
  if (failure.code === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(failure.code).send(JSON.stringify(failure));
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
  const { code, statusCode = 500 } = (error instanceof Error ? error : {}) as Partial<FastifyError>; // fields of the framework's, where present
  if (typeof code !== 'string' || !code.startsWith('FST_') || statusCode >= 500) return undefined;
  return refusal('invalid', FRAMEWORK_WORDS[statusCode] ?? 'malformed_request');
}
