import { assetsNamedIn, classifyRequest, isKeepable } from './shell-requests.ts';

/** Put in by the build: its files, whose names change with their content, and a word that changes with any of them. */
declare const SHELL: { readonly version: string; readonly files: readonly string[] };

const { version, files } = SHELL;
const CACHE_PREFIX = 'doorman-shell-';
const CACHE = CACHE_PREFIX + version;
/** So long the network may take to begin a document, when there is one here. */
const PATIENCE_MS = 3_000;

/**
 * Keeps the document and all files of this build. Nothing is added later, so there is never anything of a person in a
 * cache, and who signs out may leave it. The document's headers, its policies among them, are kept with it.
 *
 * @throws if anything is missing, or of another build, as in the middle of a deployment; the browser tries again later
 */
export async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  const keep = async (path: string) => {
    const answer = await fetch(path, { cache: path === '/' ? 'reload' : 'default' });
    if (!isKeepable(answer)) throw new Error(`${path} answered ${answer.status} ${answer.type}`);
    if (path === '/') await refuseOtherBuild(answer.clone());
    await cache.put(path, answer);
  };
  await Promise.all(['/', ...files].map(keep));
}

async function refuseOtherBuild(page: Response): Promise<void> {
  const missing = assetsNamedIn(await page.text()).find((path) => !files.includes(path));
  if (missing !== undefined) throw new Error(`The document is of another build: ${missing}`);
}

export async function dropOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** @param named paths of what a page was made of */
export function isThisBuild(named: readonly string[]): boolean {
  return named.length > 0 && named.every((path) => files.includes(path));
}

/** @returns undefined for what the worker has nothing to do with */
export function answerRequest(request: Request, origin: string): Promise<Response> | undefined {
  const kind = classifyRequest(request, origin, files);
  if (kind === 'page') return answerPage(request);
  return kind === 'file' ? answerFile(request) : undefined;
}

/** The network's document, so that a new version shows at once; ours if the service is slow, broken or out of reach. */
async function answerPage(request: Request): Promise<Response> {
  const fresh = fetch(request);
  const inTime = await Promise.race([fresh.catch(() => undefined), slowness()]);
  if (inTime && inTime.status < 500) return inTime;
  return (await findKept('/')) ?? fresh;
}

async function answerFile(request: Request): Promise<Response> {
  return (await findKept(new URL(request.url).pathname)) ?? fetch(request);
}

function findKept(path: string): Promise<Response | undefined> {
  return caches.match(path, { cacheName: CACHE, ignoreVary: true });
}

function slowness(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
}
