import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Message {
  readonly from: string;
  readonly type: string;
  /** The number of the message in its stream; 0 of a heartbeat. */
  readonly n: number;
  readonly data: unknown;
}

/** Recognizes the data of a type of messages. */
export interface Shape<Data> {
  Check(data: unknown): data is Data;
}

const Heartbeat = Type.Object({
  all: Type.Integer({ description: 'The number of the last message to all' }),
  own: Type.Record(Type.String(), Type.Integer(), {
    description: 'The last number that the sender gave to a message for each other node',
  }),
  isAsking: Type.Boolean({ description: 'The others answer by a heartbeat of their own at once' }),
});
export type Heartbeat = Static<typeof Heartbeat>;
export const heartbeatShape = Compile(Heartbeat);

/** A message that says all by its type. */
export const emptyShape = Compile(Type.Null());
