/** More than a message may have; the composer shows by how much it is too long. */
const MAX_LENGTH = 10_000;
/** Of the address: a text that is far too long is not looked at as a whole. */
const MAX_ENCODED = 200_000;
/** Control characters except line breaks and tabs. */
const UNWANTED = /(?![\n\t])\p{Cc}/gu;

/**
 * The text that another app shares with the page: text and address, or the title instead of a text.
 *
 * @param search of the address that the manifest's `share_target` names, as in `URL.search`
 * @returns empty if nothing is shared
 */
export function readSharedText(search: string): string {
  const parameters = new URLSearchParams(search.slice(0, MAX_ENCODED));
  const [title, text, url] = ['title', 'text', 'url'].map((name) => clean(parameters.get(name) ?? ''));
  const says = text || title || '';
  const address = url && !says.includes(url) ? url : '';
  const joined = [says, address].filter((part) => part !== '').join('\n');
  return joined.slice(0, MAX_LENGTH).toWellFormed();
}

/** The draft of a conversation with a shared text below what the user wrote before. */
export function withSharedText(draft: string, shared: string): string {
  if (shared === '' || draft.trim() === '') return shared || draft;
  return `${draft.trimEnd()}\n${shared}`;
}

function clean(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(UNWANTED, '').trim();
}
