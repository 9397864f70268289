import { createHash } from 'node:crypto';

/** The elements of a document whose content runs or applies without a file. */
const INLINE = /<(script|style)(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/\1>/g;

/**
 * The hashes by which a policy allows the scripts and styles in `html`, and no others: sources of a Content-Security-Policy
 * (CSP 3, 2.3.1), such as `'sha256-…'`.
 */
export function hashInline(html: string) {
  const [scripts, styles] = [new Set<string>(), new Set<string>()];
  for (const [, element, content = ''] of html.matchAll(INLINE))
    (element === 'script' ? scripts : styles).add(
      `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
    );
  return { scripts: [...scripts], styles: [...styles] };
}
