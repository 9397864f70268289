// Renders the page that shows /openapi.json in a thread of its own: loading the package takes a tenth of a second of processor
// time. The page and its script come from the package, by an application that serves nothing.
import { parentPort } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import { hashInline } from '../http/inline-hashes.ts';
import { type StoredAnswer, storeAnswer } from './stored-answer.ts';

/** The message of the worker. */
export interface ReferencePage {
  readonly html: string;
  /** Lets the page load nothing from other origins, and run only its own two scripts. */
  readonly contentSecurityPolicy: string;
  readonly script: StoredAnswer;
}

const app = Fastify();
await app.register(scalar, {
  routePrefix: '/reference',
  configuration: {
    url: '/openapi.json',
    cdn: '/docs/reference.js',
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
const contentSecurityPolicy = [
  "default-src 'none'",
  ["script-src 'self'", ...hashInline(html).scripts].join(' '),
  // Inline, since the page's script writes them, so no hash can name them.
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const page: ReferencePage = { html, contentSecurityPolicy, script: await storeAnswer(script) };
parentPort?.postMessage(page);
