import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { serviceWorker } from './worker-plugin.ts';

/** The page, built into `web/dist`, from where the service serves it. Nothing is inlined: its policy forbids that. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), firstPaint(), serviceWorker()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { page: 'index.html' },
      // What the start needs is one file; else each part that is loaded later and shares some of it would cut it up.
      output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } },
    },
  },
});

/** A script that blocks: Vite takes only modules out of a document by itself, and these run after the first paint. */
function firstPaint(): Plugin {
  const source = readFileSync(join(import.meta.dirname, 'src/app/first-paint.js'), 'utf8');
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  const fileName = `assets/first-paint-${hash}.js`;
  return {
    name: 'doorman-first-paint',
    buildStart() {
      if (!this.meta.watchMode) this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml(html, { server }) {
      const src = server ? '/src/app/first-paint.js' : `/${fileName}`;
      return html.replace('<title>', `<script src="${src}"></script>\n    <title>`);
    },
  };
}
