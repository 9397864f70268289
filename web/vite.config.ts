import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';
import { documentPlugin } from './document-plugin.ts';
import { iconPlugin } from './icon-plugin.ts';
import { serviceWorker } from './worker-plugin.ts';

/** The list that the service refuses, for the page to warn of. */
const COMMON_PASSWORDS = join(import.meta.dirname, '../src/accounts/common-passwords.txt');
const MAIN = join(import.meta.dirname, 'src/app/main.tsx');

/**
 * Few files, as a browser loads six at a time over HTTP/1.1: what the start of the page shares with the rest, as the start
 * itself is in the document (document-plugin.ts); what nearly every view needs; what several views need; forms; the pages of the settings; parts of some messages; dialogs and menus; what a
 * conversation has after its first view; the conversation, whose parts a search in it shows too; the list of people, whose rows a search of
 * the conversations shows too. Each has also what its modules import statically.
 */
const CHUNKS = [
  {
    name: (id: string, modules: Rolldown.ChunkingContext) => (isShared(id, modules) ? 'shared' : null),
    debugName: 'shared',
    priority: 4,
  },
  {
    name: 'page',
    test: /\/app\/render\.tsx$|\/(?:name|motion|time-text|presence-text|message-state-icon|use-friend-action|busy-button|friend-button|person-dialog|use-submit|message-body|name-in-text|folded-text|load-failed|while-loading)\.tsx?$|\/features\/chat\/(?:scrolling|text|thread)\/[\w-]+\.module\.css$|\/ui\/(?:controls\/menu|list\/folded-text)\.module\.css$|\/(?:Alert|Blocked|Check|KebabHorizontal|Person|PersonAdd|PaperAirplane|Pencil)Icon\.mjs$/,
    priority: 3,
  },
  {
    name: 'fields',
    test: /\/ui\/fields\/fields\.tsx$/,
    priority: 2,
  },
  {
    name: 'forms',
    test: /\/ui\/fields\/[\w-]+\.tsx?$|\/features\/auth\/(?:use-auth-form|form-end|auth-frame|language-links|name-field)\.tsx?$/,
    priority: 1,
  },
  {
    name: 'lists',
    test: /\/(?:directory-memory|list-foot|use-keep-focus|paging|row-keys|row-place|search-field|use-row-focus|use-directory)\.tsx?$|\/(?:ChevronRight|Search)Icon\.mjs$/,
    priority: 1,
  },
  {
    name: 'settings',
    test: /\/ui\/list\/(?:by-day|loading|section|use-fetched)\.tsx?$|\/ui\/person\/(?:device-icon|device-label|network-address)\.tsx?$|\/MailIcon\.mjs$/,
    priority: 1,
  },
  {
    name: 'dialogs',
    test: /\/(?:dialog|confirm-dialog|question-dialog|sign-out-dialog|menu|context-menu|chat-menu|message-menu|conversation-menu|conversation-dialog|use-conversation-menu)\.tsx$/,
    priority: 1,
  },
  { name: 'parts', test: /\/features\/chat\/message-parts\/[\w-]+\.tsx$/, priority: 1 },
  {
    name: 'later',
    test: /\/features\/chat\/thread\/(?:announcer|copied-text|later|message-copier|sticky-day)\.tsx?$/,
    priority: 1,
  },
  { name: 'chat-page', test: /\/features\/chat\/thread\/chat-page\.tsx$/, priority: 0 },
  { name: 'chats', test: /\/(?:conversation-list|nothing-chosen)\.tsx$/, priority: 0 },
  { name: 'people', test: /\/(?:people-list|no-person-open)\.tsx$/, priority: 0 },
];

/** Whether both the start of the page and a file that is loaded later import a module. */
function isShared(id: string, modules: Rolldown.ChunkingContext): boolean {
  if (id === MAIN) return false;
  const start = new Set([MAIN]);
  // A set goes through what is added meanwhile.
  for (const one of start)
    for (const imported of modules.getModuleInfo(one)?.importedIds ?? []) start.add(imported);
  return start.has(id) && !modules.getModuleInfo(id)?.importers.every((importer) => start.has(importer));
}

/** The page, built into `web/dist`, from where the service serves it. No asset is inlined: its policy forbids `data:`. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    alias: [
      { find: /^common-passwords(?=\?url$)/, replacement: COMMON_PASSWORDS },
      // For older versions of React it is a copy of what React has.
      { find: /^use-sync-external-store\/shim(?:\/index\.js)?$/, replacement: 'react' },
    ],
  },
  plugins: [react(), documentPlugin(), iconPlugin(), serviceWorker()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { start: 'index.html' }, output: { codeSplitting: { groups: CHUNKS } } },
  },
});
