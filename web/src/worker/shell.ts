import { NEW_MESSAGE_PATH } from '../paths.ts';
import { assetsNamedIn, classifyRequest, isCacheable } from './shell-requests.ts';

/**
 * Set by the build: its files, whose names change with their content, the names of what stands in its document, and a version
 * that changes with any of them.
 */
declare const SHELL: Record<'files' | 'inlined', readonly string[]> & { readonly version: string };

const { version, files, inlined } = SHELL;
const CACHE_PREFIX = 'doorman-shell-';
const CACHE = CACHE_PREFIX + version;
/** For the network to begin a document, before the cached one is used. */
const NETWORK_TIMEOUT_MS = 3_000;

/**
 * Caches the document and all files of this build. Nothing is added later, so the cache never has data of a user, and stays
 * after a sign-out. The document is cached with its headers, among them its policies.
 *
 * @throws if a file is missing or of another build, as during a deployment; the browser tries again later
 */
export async function cacheShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  const add = async (path: string) => {
    const answer = await fetch(path, { cache: path === '/' ? 'reload' : 'default' });
    if (!isCacheable(answer)) throw new Error(`${path} answered ${answer.status} ${answer.type}`);
    if (path === '/') await refuseOtherBuild(answer.clone());
    await cache.put(path, answer);
  };
  await Promise.all(['/', ...files].map(add));
}

async function refuseOtherBuild(page: Response): Promise<void> {
  const missing = assetsNamedIn(await page.text()).find((path) => !isOfThisBuild(path));
  if (missing !== undefined) throw new Error(`The document is of another build: ${missing}`);
}

export async function dropOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** @param assets paths of the files that a page has loaded, and names of what stood in its document */
export function isThisBuild(assets: readonly string[]): boolean {
  return assets.length > 0 && assets.every(isOfThisBuild);
}

function isOfThisBuild(path: string): boolean {
  return files.includes(path) || inlined.includes(path);
}

/** @returns undefined for a request that the worker leaves to the network */
export function answerRequest(request: Request, origin: string): Promise<Response> | undefined {
  const kind = classifyRequest(request, origin, files);
  if (kind === 'page') return answerPage(request);
  return kind === 'file' ? answerFile(request) : undefined;
}

/** The network's document, so that a new version shows at once; the cached one if the service is slow, fails or is unreachable. */
async function answerPage(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  // A text that another app shares is in the query: it stays on the device, and may be longer than an address that a server takes.
  const fresh = fetch(pathname === NEW_MESSAGE_PATH ? pathname : request);
  const inTime = await Promise.race([fresh.catch(() => undefined), networkTimeout()]);
  if (inTime && inTime.status < 500) return inTime;
  return (await findCached('/')) ?? fresh;
}

async function answerFile(request: Request): Promise<Response> {
  return (await findCached(new URL(request.url).pathname)) ?? fetch(request);
}

function findCached(path: string): Promise<Response | undefined> {
  return caches.match(path, { cacheName: CACHE, ignoreVary: true });
}

function networkTimeout(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, NETWORK_TIMEOUT_MS));
}
