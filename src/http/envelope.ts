import { type TObject, type TSchema, Type } from 'typebox';

/** An answer with data (interface 4.1). */
export function dataAnswer<Data extends TSchema>(data: Data) {
  return Type.Object({ code: Type.Literal(200), data });
}

/** An answer with a text for the user, and data. */
export function messageAnswer<Data extends TSchema>(data: Data) {
  return Type.Object({ code: Type.Literal(200), message: Type.String(), data });
}

/** An answer with a text for the user alone. */
export const MessageOnly = Type.Object({ code: Type.Literal(200), message: Type.String() });

/** The body of every refusal and fault (interface 4.1, 7); `error` is our addition, for programs. */
export const ErrorAnswer = Type.Object({
  code: Type.Integer({ description: 'The HTTP status too' }),
  error: Type.String({ description: 'A stable word for programs' }),
  msg: Type.String(),
});

type RefusalCode = 400 | 401 | 403 | 404;

/** The `response` of a route's schema: its success, and the codes that it refuses with beside 429 and 500. */
export function answers(success: TObject, ...refusals: (RefusalCode | readonly [RefusalCode, TObject])[]) {
  const all: Record<number, TSchema> = { 200: success, 429: ErrorAnswer, 500: ErrorAnswer };
  for (const refusal of refusals) {
    const [code, schema] = typeof refusal === 'number' ? [refusal, ErrorAnswer] : refusal;
    all[code] = schema;
  }
  return all;
}
