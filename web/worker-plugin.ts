import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';

/** What may lie beside a file for those who ask for it otherwise. */
const COMPANION = /\.(?:br|gz|map)$/;

/** The list of common passwords: a password is chosen while the service is there. */
const NEEDS_NETWORK = /\.txt$/;

/**
 * Builds the service worker into `/sw.js`, after the page and apart from it: one classic script without imports, which
 * every browser takes. It gets to know the files of the page, to keep them for the time without a network.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'doorman-service-worker',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const hash = createHash('sha256');
        const files: string[] = [];
        for (const [name, file] of Object.entries(bundle).sort(([one], [other]) => (one < other ? -1 : 1))) {
          if (name.startsWith('assets/') && !COMPANION.test(name) && !NEEDS_NETWORK.test(name))
            files.push(`/${name}`);
          hash.update(`${name}\n`).update(file.type === 'chunk' ? file.code : file.source);
        }
        const document = bundle['index.html'];
        if (document?.type !== 'asset') this.error('The worker is to be built when the document is there');
        const inlined = [...String(document.source).matchAll(/ data-file="([^"]+)"/g)].map(
          ([, name = '']) => name,
        );
        const version = hash.digest('hex').slice(0, 16);
        const source = await buildWorker({ version, files, inlined });
        this.emitFile({ type: 'asset', fileName: 'sw.js', source });
      },
    },
  };
}

async function buildWorker(
  shell: Record<'files' | 'inlined', string[]> & { version: string },
): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    root: import.meta.dirname,
    define: { SHELL: JSON.stringify(shell) },
    build: {
      write: false,
      target: 'es2023',
      rollupOptions: {
        input: join(import.meta.dirname, 'src/worker/worker.ts'),
        output: { format: 'iife', entryFileNames: 'sw.js' },
      },
    },
  });
  if (!('output' in built) || built.output.length !== 1) throw new Error('The worker must be one file');
  return built.output[0].code;
}
