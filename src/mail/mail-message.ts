/** A paragraph of a mail, or one with a link at its end. */
type Paragraph = string | { readonly text: string; readonly link: string };

export interface Mail {
  /** As `parseAddress` returns it. */
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly Paragraph[];
}

const MAX_USER_TEXT = 64;
const WORD_JOINER = '\u2060';

/**
 * A user's text as part of a mail: one line of at most 64 code points. A word joiner behind each `.` and `/` keeps mail programs from making a
 * link of it.
 */
export function userText(text: string): string {
  const line = text
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
  const points = [...line];
  const short = points.length > MAX_USER_TEXT ? `${points.slice(0, MAX_USER_TEXT - 1).join('')}…` : line;
  return short.replaceAll(/[./]/g, `$&${WORD_JOINER}`);
}

/** The text and the HTML of a mail; both end with `host`, which says who wrote. */
export function renderMail({ subject, paragraphs }: Mail, host: string): { text: string; html: string } {
  const parts = paragraphs.map((part) => (typeof part === 'string' ? { text: part, link: undefined } : part));
  const text = parts.map(({ text, link }) => (link === undefined ? text : `${text}\n${link}`));
  const html = parts.map(({ text, link }) => {
    const url = link === undefined ? '' : escapeHtml(link);
    return `<p>${escapeHtml(text)}${url && `<br>\n<a href="${url}">${url}</a>`}</p>`;
  });
  return {
    text: `${[...text, host].join('\n\n')}\n`,
    html: `<!doctype html>
<html>
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="max-width:36em;font:16px/1.5 sans-serif">
${html.join('\n')}
<p style="color:#666">${escapeHtml(host)}</p>
</body>
</html>
`,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
