import { finished } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { KeyCounts } from '../collections/key-counts.ts';
import { overloaded, ServiceError } from '../errors.ts';
import { callerOf } from '../http/authenticate.ts';
import { answerError } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import type { Limits } from '../limits/limits.ts';
import type { Limit, RateLimit } from '../limits/sliding-log.ts';
import { PICTURE_TYPES, type PictureType, pictureTooLarge } from './containers/rewrite-picture.ts';

/** Each holds a body in memory. */
const [MAX_OF_USER, MAX_RUNNING] = [2, 32];
/** Less than the 30 s that the server gives a request: slow bodies would keep all slots. */
const MAX_BODY_MS = 20_000;

/** What any upload may be refused with for its content. */
export const PICTURE_REFUSALS = [
  'picture_type',
  'picture_invalid',
  'picture_size',
  'picture_too_large',
] as const;

/** Limits the uploads of pictures, over all routes that take some: how many in a time, and how many at once. */
export class PictureUploads {
  readonly #limit: RateLimit | null;
  readonly #maxBodyMs: number;
  /** Whether pictures for messages are taken now. */
  readonly isOpenForMessages: () => boolean;
  readonly #ofUsers = new KeyCounts();
  #running = 0;

  /** @param limit null where the operator turned it off */
  constructor(limit: RateLimit | null, isOpenForMessages = () => true, maxBodyMs = MAX_BODY_MS) {
    this.#limit = limit;
    this.isOpenForMessages = isOpenForMessages;
    this.#maxBodyMs = maxBodyMs;
  }

  /**
   * The `onRequest` of a route: takes a slot before the body is read, and gives it back once the answer or the connection has ended. A
   * body that arrives too slowly is refused as a request that is slow in any other way.
   *
   * @throws {ServiceError} `rate-limited`, with the words `too_many_pictures` and `overloaded`
   */
  readonly admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await this.admitUncounted(request, reply);
    const verdict = await this.#limit?.take(callerOf(request).userId);
    if (verdict?.allowed === false) throw tooManyPictures(verdict.resetSeconds);
  };

  /** The same for what belongs to an upload that was counted, such as a preview. */
  readonly admitUncounted = async (request: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    const { userId } = callerOf(request);
    if (this.#ofUsers.get(userId) >= MAX_OF_USER) throw tooManyPictures(1);
    if (this.#running >= MAX_RUNNING) throw overloaded();
    this.#running++;
    this.#ofUsers.add(userId, 1);
    const { server, socket } = request;
    const late = () => server.server.emit('clientError', new Error('the body takes too long'), socket);
    const timer = setTimeout(late, this.#maxBodyMs).unref();
    request.raw.once('end', () => clearTimeout(timer));
    finished(raw, () => {
      clearTimeout(timer);
      this.#running--;
      this.#ofUsers.add(userId, -1);
    });
  };
}

/** @param isOpenForMessages whether pictures for messages are taken now */
export function openPictureUploads(
  limits: Limits,
  limit: Limit | null,
  isOpenForMessages: () => boolean,
): PictureUploads {
  const opened = limit && limits.open('pictures', { ...limit, maxKeys: 100_000 }, 'bounded');
  return new PictureUploads(opened, isOpenForMessages);
}

interface PictureBody {
  readonly type: PictureType;
  readonly bytes: Buffer;
}

/** Lets the routes of `app`, a plugin, take bodies of pictures and no others. A route sets its own `bodyLimit`. */
export function takePictureBodies(app: App): void {
  app.removeAllContentTypeParsers(); // with that of JSON, which it inherits
  for (const type of PICTURE_TYPES)
    app.addContentTypeParser(
      type,
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, bytes: Buffer) => ({
        type,
        bytes,
      }),
    );
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const refusals: Record<number, () => ServiceError> = { 413: pictureTooLarge, 415: notPicture };
    const refused = refusals[error.statusCode ?? 0]?.();
    return answerError(refused ?? error, request, reply);
  });
}

/** The body of a route of {@link takePictureBodies}. @throws {ServiceError} `picture_type` if there is none */
export function pictureBodyOf({ body }: FastifyRequest): PictureBody {
  if (!body) throw notPicture();
  return body as PictureBody; // no other parser is left
}

/** @param seconds until an upload may be taken again */
export function tooManyPictures(seconds: number): ServiceError {
  const retryAfterSeconds = Math.ceil(seconds);
  return new ServiceError('rate-limited', 'too_many_pictures', '上传图片过于频繁，请稍后再试', {
    retryAfterSeconds,
  });
}

function notPicture(): ServiceError {
  return new ServiceError('invalid', 'picture_type', '图片需为 JPEG、PNG 或 WebP');
}
