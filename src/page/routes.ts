import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { ServiceError } from '../errors.ts';
import { answerError, refusal } from '../http/errors.ts';
import { hashInline } from '../http/inline-hashes.ts';
import { pathOf } from '../http/request-path.ts';
import type { App } from '../http/server.ts';
import { addVary } from '../http/vary.ts';
import type { Services } from '../services.ts';
import { isPageAddress, prefersDocument } from './browser-address.ts';
import { fileHeaders, pageHeaders } from './page-headers.ts';
import { PAGE_PATHS } from './page-paths.ts';

/** Files under fixed names. */
const FILES = ['/sw.js', '/manifest.webmanifest', '/favicon.ico', '/asyncapi.yaml'];
const FOLDERS = ['assets', 'icons', 'screenshots'];
const NOT_BUILT = new ServiceError(
  'not-found',
  'page_not_built',
  '页面尚未构建，请运行 npm run setup · The page is not built yet: npm run setup',
);
/** Without separators and a leading dot: no other folder and no hidden file can be named. */
const FILE_NAME = /^[\w-][\w.-]*$/;

/** For files whose names have a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** May be cached, and must be revalidated at each use (304). */
const REVALIDATE = 'no-cache';

/**
 * The page, its files and the description of the socket, as `npm run setup` built them in the folder `pageFolder`, with compressed forms beside the files.
 * Outside `/api`, so without limits and tokens. A page that is not built is a 404. A browser that opens an unknown address
 * gets the document with 404, and its script shows that nothing is there.
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
      reply.header('cache-control', isHashed ? IMMUTABLE : REVALIDATE);
    },
  });

  const [ofPage, ofFile] = [pageHeaders(config.publicUrl), fileHeaders(config.publicUrl)];
  const headersOfDocument = openDocumentHeaders(join(pageFolder, 'index.html'), config.publicUrl);
  app.addHook('onRequest', (request, reply, done) => {
    const isFile = FOLDERS.some((folder) => request.url.startsWith(`/${folder}/`));
    reply.headers(isFile ? ofFile : ofPage);
    done();
  });

  // What the library refuses by itself, such as a condition that is not met (412), with our codes.
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const isRefusal = error.statusCode !== undefined && error.statusCode < 500;
    return answerError(isRefusal ? refusal('invalid', 'malformed_request') : error, request, reply);
  });

  const served = { method: 'GET', config: { access: 'public' }, schema: { hide: true } } as const;
  for (const url of PAGE_PATHS)
    app.route<{ Params: { id?: string } }>({
      ...served,
      url,
      handler: async (request, reply) => {
        // The router takes `/people/` for a profile with an empty id.
        if (request.params.id === '') return reply.callNotFound();
        const headers = await headersOfDocument();
        if (!headers) throw NOT_BUILT;
        return reply.headers(headers).sendFile('index.html');
      },
    });
  // Where a password manager sends its user (W3C, A Well-Known URL for Changing Passwords).
  app.route({
    ...served,
    url: '/.well-known/change-password',
    handler: (_request, reply) => reply.redirect('/settings/security', 302),
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

  // Not by `sendFile`: a path that cannot be decoded has no route, so no decorated reply. And without an ETag, so that a
  // browser that has the document never gets a 304, which would stand for the 200 it has.
  app.hooks.sendNotFoundPage = async (request, reply) => {
    const [path = ''] = pathOf(request).split('?', 1);
    if (!isPageAddress(request.method, path)) return false;
    addVary(reply, 'Accept');
    if (!prefersDocument(request.headers.accept)) return false;
    const headers = await headersOfDocument();
    const document = headers && (await readFile(join(pageFolder, 'index.html')).catch(() => undefined));
    if (!document) return false;
    reply
      .code(404)
      .headers({ ...headers, 'cache-control': REVALIDATE, 'content-type': 'text/html; charset=utf-8' })
      .send(document);
    return true;
  };
}

/** @returns reads the headers of the document, again after each build; undefined while it is not built */
function openDocumentHeaders(
  path: string,
  publicUrl: string,
): () => Promise<Record<string, string> | undefined> {
  let latest: { mtimeMs: number; headers: Record<string, string> } | undefined;
  return async () => {
    try {
      const { mtimeMs } = await stat(path);
      if (latest?.mtimeMs !== mtimeMs)
        latest = { mtimeMs, headers: pageHeaders(publicUrl, hashInline(await readFile(path, 'utf8'))) };
      return latest.headers;
    } catch {
      return undefined;
    }
  };
}
