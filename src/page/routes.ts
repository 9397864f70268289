import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { ServiceError } from '../errors.ts';
import { answerError, refusal } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { pageHeaders } from './page-headers.ts';
import { PLACES } from './places.ts';

/** Files that must be found under names that never change. */
const FILES = ['/sw.js', '/manifest.webmanifest', '/favicon.ico'];
const FOLDERS = ['assets', 'icons'];
/** Leaves no way to another folder, nor to what is hidden. */
const FILE_NAME = /^[\w-][\w.-]*$/;

/** Named after what it holds, so that it never changes. */
const FOREVER = 'public, max-age=31536000, immutable';
/** May be kept, and is asked for each time whether it is still the same (304). */
const ASK_EACH_TIME = 'no-cache';

/**
 * The page and what it loads, as `npm run setup` built them, from the folder `pageFolder`; compressed forms lie beside
 * the files. Outside `/api`, so neither counted nor guarded. What is not built is not found.
 */
export async function pageRoutes(app: App, { config }: Services): Promise<void> {
  const { pageFolder } = config;
  await app.register(fastifyStatic, {
    root: pageFolder,
    serve: false,
    preCompressed: true,
    index: false,
    acceptRanges: false,
    lastModified: false,
    cacheControl: false,
    suppressWarning: true,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(pageFolder, 'assets'));
      reply.header('cache-control', isHashed ? FOREVER : ASK_EACH_TIME);
    },
  });

  const headers = pageHeaders(config.publicUrl);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });

  // What the library refuses by itself, such as a condition that is not met (412), in our codes.
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const isRefusal = error.statusCode !== undefined && error.statusCode < 500;
    return answerError(isRefusal ? refusal('invalid', 'malformed_request') : error, request, reply);
  });

  const served = { method: 'GET', config: { access: 'public' }, schema: { hide: true } } as const;
  for (const url of PLACES)
    app.route({
      ...served,
      url,
      handler: async (_request, reply) => {
        await refuseUnbuilt(pageFolder);
        return reply.sendFile('index.html');
      },
    });
  for (const url of FILES) app.route({ ...served, url, handler: (_request, reply) => reply.sendFile(url) });
  for (const folder of FOLDERS)
    app.route<{ Params: { file: string } }>({
      ...served,
      url: `/${folder}/:file`,
      handler: (request, reply) => {
        const { file } = request.params;
        return FILE_NAME.test(file) ? reply.sendFile(`${folder}/${file}`) : reply.callNotFound();
      },
    });
}

async function refuseUnbuilt(pageFolder: string): Promise<void> {
  const isBuilt = await access(join(pageFolder, 'index.html')).then(
    () => true,
    () => false,
  );
  if (!isBuilt)
    throw new ServiceError(
      'not-found',
      'page_not_built',
      '页面尚未构建，请运行 npm run setup · The page is not built yet: npm run setup',
    );
}
