// Runs the service and the page for development, at one address. A change in src/ restarts the service, a change in web/
// or client/ shows in the open page. Ctrl-C ends both.
//   npm run dev              at http://127.0.0.1:5173, or at the next free port
//   PORT=4000 npm run dev    at this port; 0: at any free one
// The data is in data-dev/ unless DATA_DIR or DATABASE_URL is set. The other settings apply too, except HOST, PUBLIC_URL
// and ORIGINS.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative, sep } from 'node:path';
import { createServer, type Plugin, type ProxyOptions } from 'vite';
import { isPageAddress, prefersDocument } from '../src/page/browser-address.ts';
import { isPagePath } from '../web/src/paths.ts';

const ROOT = dirname(import.meta.dirname);
const SOURCES = join(ROOT, 'src') + sep;
/** What the service answers. Everything else is a file or a path of the page. */
const SERVICE_PATHS = [
  '/api',
  '/media',
  '/ws',
  '/.well-known',
  '/healthz',
  '/readyz',
  '/docs',
  '/openapi.json',
  '/asyncapi.yaml',
];
/** Files that are written together, as git does, cause one restart. */
const QUIET_MS = 50;

/** The service in a process of its own, which starts again after each change. */
class ServiceProcess {
  readonly #onServing: (port: number) => void;
  #isServing = Promise.withResolvers<boolean>();
  #isEnding = false;
  #stop = () => {};
  #kill = () => {};
  #running: Promise<void> | undefined;

  constructor(onServing: (port: number) => void) {
    this.#onServing = onServing;
  }

  /** Waits while it starts. False: it ended by itself, for example because of an error in a source or a setting. */
  get isServing(): Promise<boolean> {
    return this.#isServing.promise;
  }

  start(env: NodeJS.ProcessEnv): void {
    this.#running ??= this.#run(env);
  }

  /** Kills it: it keeps all that it has acknowledged (README, Promises), and a graceful stop takes up to 3 s. */
  restart(): void {
    const next = Promise.withResolvers<boolean>();
    this.#isServing.resolve(next.promise);
    this.#isServing = next;
    this.#kill();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#stop();
    await this.#running;
    this.#isServing.resolve(false);
  }

  async #run(env: NodeJS.ProcessEnv): Promise<void> {
    while (!this.#isEnding) {
      let isKilled = false;
      const child = fork(join(import.meta.dirname, 'dev-service.ts'), { cwd: ROOT, env });
      this.#stop = () => child.connected && child.disconnect();
      this.#kill = () => {
        isKilled = true;
        child.kill('SIGKILL');
      };
      child.once('message', ({ port }: AddressInfo) => {
        this.#onServing(port);
        this.#isServing.resolve(true);
      });
      // The next one starts after this one has ended: a data folder takes one process.
      const [code, signal] = await once(child, 'exit');
      if (isKilled || this.#isEnding) continue;
      console.error(`The service ended (${signal ?? code}). It starts again with the next change in src/.`);
      this.#isServing.resolve(false);
      await new Promise<void>((resolve) => {
        this.#stop = this.#kill = resolve;
      });
    }
  }
}

/** The service behind Vite's server: proxied, restarted after a change of its sources, and ended with Vite. */
function withService(): Plugin {
  const proxied = new Set<ProxyOptions>();
  let target: string | undefined;
  const service = new ServiceProcess((port) => {
    target = `http://127.0.0.1:${port}`;
    for (const options of proxied) options.target = target;
  });
  const proxy: ProxyOptions = {
    ws: true,
    configure: (_proxy, options) => {
      options.target = target;
      proxied.add(options);
    },
    bypass: async ({ url }, response) => {
      if (await service.isServing) return undefined;
      if (!response) return false;
      response.writeHead(503, { 'content-type': 'text/plain' });
      response.end('The service is not running: the terminal of npm run dev shows why.\n');
      return url;
    },
  };
  let quiet: NodeJS.Timeout | undefined;

  return {
    name: 'doorman-service',
    config: () => ({ server: { proxy: Object.fromEntries(SERVICE_PATHS.map((path) => [path, proxy])) } }),
    configureServer({ httpServer, middlewares, transformIndexHtml, watcher }) {
      httpServer?.once('listening', async () => {
        const { port } = httpServer.address() as AddressInfo; // it listens on a port, not on a pipe
        const url = `http://127.0.0.1:${port}`;
        service.start({
          DATA_DIR: join(ROOT, 'data-dev'),
          LOG_LEVEL: 'warn',
          ...process.env,
          PORT: '0',
          HOST: '127.0.0.1',
          PUBLIC_URL: url,
          ORIGINS: `http://localhost:${port}`,
        });
        await service.isServing;
        console.log(`Doorman: ${url}`);
      });
      // A browser that gets the page's document here would keep it from notifications and from updates.
      middlewares.use('/sw.js', (_request, response) => {
        response.statusCode = 404;
        response.end();
      });
      // Vite answers an unknown address with the document too, but with 200.
      middlewares.use(async ({ method = '', url = '', headers }, response, next) => {
        const [path = ''] = url.split('?', 1);
        if (isPagePath(path) || !isPageAddress(method, path) || !prefersDocument(headers.accept))
          return next();
        const html = await readFile(join(ROOT, 'web', 'index.html'), 'utf8');
        response.writeHead(404, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
        response.end(await transformIndexHtml('/', html));
      });
      watcher.add(SOURCES);
      watcher.on('all', (_event, path) => {
        if (!path.startsWith(SOURCES) || !path.endsWith('.ts') || path.endsWith('.test.ts')) return;
        clearTimeout(quiet);
        quiet = setTimeout(() => {
          console.log(`${relative(ROOT, path)} has changed: the service restarts`);
          service.restart();
        }, QUIET_MS);
      });
    },
    async closeServer({ reason }) {
      if (reason === 'close') await service.end();
    },
  };
}

const vite = await createServer({
  configFile: join(ROOT, 'web', 'vite.config.ts'),
  clearScreen: false,
  plugins: [withService()],
  server: {
    host: '127.0.0.1',
    port: Number(process.env.PORT || 5173),
    strictPort: Boolean(process.env.PORT),
  },
});
process.on('SIGINT', async () => {
  await vite.close();
  process.exit();
});
await vite.listen();
