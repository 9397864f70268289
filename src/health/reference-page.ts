import { createHash } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

export interface ReferencePage {
  readonly html: string;
  /** Lets the page load nothing from other origins, and run only its own two scripts. */
  readonly contentSecurityPolicy: string;
  readonly script: Buffer;
}

/**
 * The page that shows an OpenAPI description, with its script. Both come from the package, by an application that serves
 * nothing.
 */
export async function renderReference(urls: { openapi: string; script: string }): Promise<ReferencePage> {
  const app = Fastify();
  await app.register(scalar, {
    routePrefix: '/reference',
    configuration: {
      url: urls.openapi,
      cdn: urls.script,
      pageTitle: 'Doorman',
      // Everything that would call other origins.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  });
  const { payload: html } = await app.inject('/reference/');
  const { rawPayload: script } = await app.inject('/reference/js/scalar.js');
  await app.close();
  return { html, contentSecurityPolicy: policyFor(html), script };
}

/** Styles are inline, since the page's script writes them, so no hash can name them. */
function policyFor(html: string): string {
  const inline = [...html.matchAll(/<script(?: type="text\/javascript")?>([\s\S]*?)<\/script>/g)];
  const hashes = inline.map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
