import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { documentPlugin } from './document-plugin.ts';
import { iconPlugin } from './icon-plugin.ts';
import { serviceWorker } from './worker-plugin.ts';

/**
 * Few files, as a browser loads six at a time over HTTP/1.1: the kit and the stores, which connect while the rest is loaded;
 * what nearly every view needs; what several views need. Each has also what its modules import statically.
 */
const CHUNKS = [
  { name: 'start', test: /rolldown\/runtime|\/web\/src\/app\/main\.tsx$/, priority: 4 },
  {
    name: 'page',
    test: /\/app\/render\.tsx$|\/(?:time-text|presence-text|message-state-icon|use-friend-action|person-dialogs|message-body|name-in-text)\.tsx?$|\/(?:Blocked|Check|Person|PersonAdd|PaperAirplane|Pencil)Icon\.mjs$/,
    priority: 3,
  },
  {
    name: 'fields',
    test: /\/ui\/controls\/(?:fields|password-field|use-form|form-fields)\.tsx?$/,
    priority: 2,
  },
  {
    name: 'lists',
    test: /\/(?:directory-memory|list-foot|use-keep-focus|paging)\.tsx?$|ChevronRightIcon\.mjs$/,
    priority: 1,
  },
];

/** The page, built into `web/dist`, from where the service serves it. Nothing is inlined: its policy forbids that. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), documentPlugin(), iconPlugin(), serviceWorker()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { page: 'index.html' }, output: { codeSplitting: { groups: CHUNKS } } },
  },
});
