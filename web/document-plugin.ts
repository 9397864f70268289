import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minifySync, type Plugin, type Rolldown } from 'vite';

/** Which source brings each part of the page; first-paint.js chooses among the parts. */
const PARTS: Record<string, string> = {
  page: 'app/render.tsx',
  en: 'i18n/en.ts',
  zh: 'i18n/zh.ts',
  entrance: 'features/auth/auth-page.tsx',
  'entrance-en': 'features/auth/auth.en.ts',
  'entrance-zh': 'features/auth/auth.zh.ts',
  chats: 'features/chat/conversations/conversation-list.tsx',
  chat: 'features/chat/thread/chat-page.tsx',
  people: 'features/contacts/directory/people-list.tsx',
};

/**
 * Completes the document with what every view needs before another file can come, as on a slow line the document's own bytes
 * fill the time until then: first-paint.js, the styles, and the start of the page, which connects. The files of each part stand
 * in it as links, inert until first-paint.js chooses some.
 */
export function documentPlugin(): Plugin[] {
  const source = join(import.meta.dirname, 'src/app/first-paint.js');
  let styles = '';
  return [
    {
      name: 'doorman-document-styles',
      generateBundle: {
        // Before Vite writes down which files each import needs.
        order: 'pre',
        handler(_options, bundle) {
          styles = takeStyles(bundle);
        },
      },
    },
    {
      name: 'doorman-document',
      transformIndexHtml: {
        order: 'post',
        handler(html) {
          const { code } = minifySync(source, readFileSync(source, 'utf8'));
          return html.replace(/>\s+</g, '><').replace('</head>', () => `<script>${code}</script></head>`);
        },
      },
      generateBundle: {
        order: 'post',
        handler(_options, bundle) {
          const document = bundle['index.html'];
          if (document?.type !== 'asset') this.error('There is no document');
          document.source = String(document.source)
            .replace('<script>', () => `${linksOf(bundle)}<script>`)
            .replace('</head>', () => `${styles}</head>`)
            .replace(
              /<script type="module"[^>]* src="\/([^"]+)"><\/script>([\s\S]*)(?=<\/body>)/,
              (_, name, rest) => rest + takeStart(name, bundle),
            );
        },
      },
    },
  ];
}

/** The styles of the start and of what every view needs, which are then no files any more. */
function takeStyles(bundle: Rolldown.OutputBundle): string {
  let styles = '';
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk' || !(chunk.isEntry || chunk.moduleIds.some((id) => isSource(id, PARTS.page))))
      continue;
    for (const name of chunk.viteMetadata?.importedCss ?? []) {
      const file = bundle[name];
      if (file?.type === 'asset') styles += `<style data-file="/${name}">${file.source}</style>`;
      delete bundle[name];
    }
    chunk.viteMetadata?.importedCss.clear();
  }
  return styles;
}

/** The script of the start, which is then no file any more. @throws if another file imports it, and would run it again */
function takeStart(name: string, bundle: Rolldown.OutputBundle): string {
  const chunk = bundle[name];
  if (chunk?.type !== 'chunk' || chunk.exports.length > 0) throw new Error(`${name} is not the start alone`);
  delete bundle[name];
  // A file names its neighbours, the document their paths.
  const code = chunk.code
    .replace(/(["'`])\.\/([\w.-]+\.js\1)/g, '$1/assets/$2')
    .replace(/<\/(?=script)/gi, '<\\/');
  return `<script type="module" data-file="/${name}">${code}</script>`;
}

function isSource(id: string, source: string | undefined): boolean {
  return id.endsWith(`/web/src/${source}`);
}

/** An inert link for each file, with the parts that need it. */
function linksOf(bundle: Rolldown.OutputBundle): string {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const main = filesOf(
    chunks.find(({ isEntry }) => isEntry),
    bundle,
  );
  const parts = new Map<string, string[]>();
  for (const [part, source] of Object.entries(PARTS)) {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => isSource(id, source)));
    for (const file of filesOf(chunk, bundle))
      if (!main.includes(file)) parts.set(file, [...(parts.get(file) ?? []), part]);
  }
  return [...parts].map(([file, of]) => `<link data-parts="${of.join(' ')}" data-href="/${file}">`).join('');
}

/** A chunk with the chunks that it imports statically, and their styles. */
function filesOf(chunk: Rolldown.OutputChunk | undefined, bundle: Rolldown.OutputBundle): string[] {
  const files = new Set<string>();
  const collect = (one: Rolldown.OutputChunk) => {
    if (files.has(one.fileName)) return;
    files.add(one.fileName);
    for (const css of one.viteMetadata?.importedCss ?? []) files.add(css);
    for (const name of one.imports) {
      const imported = bundle[name];
      if (imported?.type === 'chunk') collect(imported);
    }
  };
  if (chunk) collect(chunk);
  return [...files];
}
