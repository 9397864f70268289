import { type TObject, type TSchema, Type } from 'typebox';

/** The `code` of an answer that always has this one. */
export function codeOf<const Code extends number>(code: Code) {
  return Type.Literal(code, { type: 'integer' });
}

/** An answer with data (interface 4.1). */
export function dataAnswer<Data extends TSchema>(data: Data) {
  return Type.Object({ code: codeOf(200), data });
}

/** An answer with a text for the user, and data. */
export function messageAnswer<Data extends TSchema>(data: Data) {
  return Type.Object({ code: codeOf(200), message: Type.String(), data });
}

/** An answer with a text for the user alone. */
export const MessageOnly = Type.Object({ code: codeOf(200), message: Type.String() });

/** The body of every refusal and fault (interface 4.1, 7); `error` is our addition, for programs. */
export const ErrorAnswer = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status too' }),
    error: Type.String({ description: 'A stable word for programs' }),
    msg: Type.String({
      description:
        'A sentence for people: Chinese, but English on the push endpoints, and where `Accept-Language` prefers another language',
    }),
  },
  { examples: [{ code: 401, error: 'unauthenticated', msg: '未登录或登录已过期' }] },
);

/** A refusal with words of its own, besides those that any call may get (`WORDS_OF_ANY_CALL`). */
export function refusedWith(...words: string[]) {
  return { ...ErrorAnswer, words };
}

type RefusalCode = 400 | 401 | 403 | 404 | 429;

/** A code, with the words of its own that a rule of the route refuses with, or with the schema of another body. */
type Refusals = RefusalCode | readonly [RefusalCode, ...string[]] | readonly [RefusalCode, TObject];

/**
 * The `response` of a route's schema: its success, and the codes that it refuses with beside 429 and 500, as in
 * `answers(MessageOnly, 400, [403, 'not_accepting'])`. The words that fields refuse with are read from their schemas.
 */
export function answers(success: TObject, ...refusals: Refusals[]) {
  const all: Record<number, TSchema> = { 200: success, 429: ErrorAnswer, 500: ErrorAnswer };
  for (const refusal of refusals) {
    const [code, ...about] = typeof refusal === 'number' ? [refusal] : refusal;
    const [schema] = about.filter((one) => typeof one === 'object');
    const words = about.filter((one) => typeof one === 'string');
    all[code] = schema ?? (words.length > 0 ? refusedWith(...words) : ErrorAnswer);
  }
  return all;
}
