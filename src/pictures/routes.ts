import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { Picture } from '../events/log-events.ts';
import { callerOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { PICTURE_TYPES, rewritePicture } from './containers/rewrite-picture.ts';
import { PictureReader } from './read-picture.ts';
import { storePicture, storePreview } from './store-picture.ts';
import { UnreadBytes } from './unread-bytes.ts';
import { PICTURE_REFUSALS, pictureBodyOf, takePictureBodies } from './uploads.ts';

const PICTURE = { maxBytes: 1024 * 1024, minPixels: 1, maxPixels: 2560 };
const PREVIEW = { maxBytes: 32 * 1024, minPixels: 1, maxPixels: 480 };
const Named = Type.Object({ id: Type.String() });

/** A cache of HTTP would keep what is unsent, and bytes of strangers are never a page. */
const HEADERS = {
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; sandbox",
};

export async function pictureRoutes(app: App, { clock, db, limits }: Services): Promise<void> {
  const { pictures: uploads } = limits;
  const reader = new PictureReader(db);
  const unread = new UnreadBytes();
  takePictureBodies(app);

  const refuseWhileOff = async () => {
    if (!uploads.isOpenForMessages()) throw new ServiceError('forbidden', 'pictures_off', '目前不能发送图片');
  };

  app.post('/api/pictures', {
    bodyLimit: PICTURE.maxBytes,
    onRequest: [refuseWhileOff, uploads.admit],
    schema: {
      operationId: 'uploadPicture',
      summary: 'Upload a picture, which a message may have within 24 hours',
      consumes: PICTURE_TYPES,
      response: answers(
        dataAnswer(Picture),
        [400, ...PICTURE_REFUSALS],
        401,
        [403, 'pictures_off'],
        [429, 'too_many_pictures'],
      ),
    },
    handler: async (request) => {
      const { type, bytes } = pictureBodyOf(request);
      const rewritten = rewritePicture(type, bytes, PICTURE);
      const data = await storePicture(db, callerOf(request), type, rewritten, clock.now());
      return { code: 200 as const, data };
    },
  });

  app.post('/api/pictures/:id/preview', {
    bodyLimit: PREVIEW.maxBytes,
    onRequest: [refuseWhileOff, uploads.admitUncounted],
    schema: {
      operationId: 'uploadPreview',
      summary: 'Upload a small form of a picture that is in no message yet',
      consumes: PICTURE_TYPES,
      params: Named,
      response: answers(
        dataAnswer(Named),
        [400, ...PICTURE_REFUSALS],
        401,
        [403, 'pictures_off'],
        [404, 'picture_unknown'],
        [429, 'too_many_pictures'],
      ),
    },
    handler: async (request) => {
      const { type, bytes } = pictureBodyOf(request);
      const { id } = request.params;
      await storePreview(db, callerOf(request).userId, id, rewritePicture(type, bytes, PREVIEW));
      return { code: 200 as const, data: { id } };
    },
  });

  for (const [part, path, operationId, summary] of [
    [
      'picture',
      '/api/pictures/:id',
      'picture',
      'Get a picture of a message of the caller, or one that they uploaded',
    ],
    [
      'preview',
      '/api/pictures/:id/preview',
      'picturePreview',
      'Get the preview of a picture; 404 if it has none',
    ],
  ] as const)
    app.get(path, {
      config: { limit: 'pictureReads' },
      schema: {
        operationId,
        summary,
        produces: PICTURE_TYPES,
        params: Named,
        response: answers(Type.Object({}), 401, [404, 'picture_unknown']),
      },
      handler: async (request, reply) => {
        const { userId } = callerOf(request);
        const { type, size, pieces } = await reader.read(userId, request.params.id, part);
        unread.hold(userId, size, reply.raw);
        return reply
          .headers({ ...HEADERS, 'content-type': type, 'content-length': size })
          .send(Readable.from(pieces, { objectMode: false }));
      },
    });
}
