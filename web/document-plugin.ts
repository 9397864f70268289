import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** Which source brings each part of the page; first-paint.js chooses among the parts. */
const PARTS: Record<string, string> = {
  page: 'app/render.tsx',
  en: 'i18n/en.ts',
  zh: 'i18n/zh.ts',
  entrance: 'features/auth/auth-page.tsx',
  chats: 'features/chat/conversations/conversation-list.tsx',
  chat: 'features/chat/thread/chat-page.tsx',
  people: 'features/contacts/directory/people-list.tsx',
};

/**
 * Completes the document: first-paint.js, which has to run before the first paint (Vite takes only modules out of a document
 * by itself, and these run after it), and the files of each part of the page, inert until that script chooses some.
 */
export function documentPlugin(): Plugin {
  const source = readFileSync(join(import.meta.dirname, 'src/app/first-paint.js'), 'utf8');
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  const fileName = `assets/first-paint-${hash}.js`;
  return {
    name: 'doorman-document',
    buildStart() {
      if (!this.meta.watchMode) this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { server, bundle }) {
        const links = bundle ? linksOf(bundle) : '';
        const src = server ? '/src/app/first-paint.js' : `/${fileName}`;
        return html
          .replace('<title>', `${links}<script src="${src}"></script><title>`)
          .replace(/>\s+</g, '><');
      },
    },
  };
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
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/web/src/${source}`)));
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
