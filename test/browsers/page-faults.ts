import assert from 'node:assert/strict';
import type { ConsoleMessage, HTTPRequest, HTTPResponse, Page } from 'puppeteer-core';
import { endingsOf, type Scope } from './endings.ts';

export interface PageFaults {
  /** All faults so far, one line each, including expected ones. */
  readonly lines: readonly string[];
  /** Warnings on the console; no faults, but part of the message of a failed test. */
  readonly warnings: readonly string[];
  /** Lines that match are no faults, before or after this call. */
  expect(...patterns: RegExp[]): void;
  /** Requests that do not reach the service are no faults: the test stops the service. */
  expectOutage(): void;
}

/**
 * The errors of requests that a page cancels by navigating or closing. The last is of Firefox while its worker answers; a
 * failed answer has another text.
 */
const CANCELLED =
  /ERR_ABORTED|NS_BINDING_ABORTED|was interrupted while the page was loading|intercepted the request and encountered an unexpected error/;

const OUTAGE = [
  /^failed: .*(?:ERR_CONNECTION_|ERR_EMPTY_RESPONSE|NS_ERROR_CONNECTION_REFUSED|NS_ERROR_NET_)/,
  /^console: WebSocket connection to .* failed/,
  /^thrown: Firefox can’t establish a connection/,
  /^thrown: The connection to ws.* was interrupted/,
];

/**
 * Collects the faults of a page until `scope` ends, and then fails the test for unexpected ones. Call it before the page
 * loads anything. The lines:
 *
 * - `console: ..` an error on the console; `thrown: ..` an uncaught one
 * - `policy: ..` what the Content-Security-Policy forbade: the directive, and the resource
 * - `elsewhere: GET https://..` a request to another origin than that of `url`
 * - `404 GET /path` an answer of 400 and more; `failed: GET /path ..` a request without one
 * - `dialog: ..` an alert or the like, as an injected script would show
 */
export async function watchFaults(scope: Scope, page: Page, url: string): Promise<PageFaults> {
  const { origin } = new URL(url);
  const lines: string[] = [];
  const warnings: string[] = [];
  const expected: RegExp[] = [];
  const pathOf = (request: HTTPRequest) => `${request.method()} ${request.url().replace(origin, '')}`;

  const onConsole = (message: ConsoleMessage) => {
    const text = message.text();
    if (message.type() === 'warn') warnings.push(text);
    // Refused and failed requests are recorded below.
    if (message.type() !== 'error' || text.startsWith('Failed to load resource')) return;
    lines.push(text.startsWith('policy: ') ? text : `console: ${text}`);
  };
  const onThrown = (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    if (!CANCELLED.test(text)) lines.push(`thrown: ${text}`);
  };
  const onRequest = (request: HTTPRequest) => {
    const target = new URL(request.url().replace(/^ws/, 'http'));
    const isLocal = !/^https?:$/.test(target.protocol);
    if (!isLocal && target.origin !== origin) lines.push(`elsewhere: ${request.method()} ${request.url()}`);
  };
  const onFailed = (request: HTTPRequest) => {
    const reason = request.failure()?.errorText ?? '';
    if (!CANCELLED.test(reason)) lines.push(`failed: ${pathOf(request)} ${reason}`);
  };
  const onAnswer = (answer: HTTPResponse) => {
    if (answer.status() >= 400) lines.push(`${answer.status()} ${pathOf(answer.request())}`);
  };
  page
    .on('console', onConsole)
    .on('pageerror', onThrown)
    .on('request', onRequest)
    .on('requestfailed', onFailed)
    .on('response', onAnswer)
    .on('dialog', (dialog) => {
      lines.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  await page.evaluateOnNewDocument(() => {
    const { error } = console;
    // The drivers report that there was an error, but not which.
    console.error = (...values: unknown[]) =>
      error(...values.map((one) => (one instanceof Error ? `${one}` : one)));
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      console.error(`policy: ${effectiveDirective} ${blockedURI}`);
    });
  });

  endingsOf(scope).defer(async () => {
    // Everything that was reported before this answer has arrived with it.
    if (!page.isClosed()) await page.evaluate(() => undefined);
    const faults = lines.filter((line) => !expected.some((pattern) => pattern.test(line)));
    assert.deepEqual(faults, [], 'the page did what it must not');
  });
  const expect = (...patterns: RegExp[]) => void expected.push(...patterns);
  return { lines, warnings, expect, expectOutage: () => expect(...OUTAGE) };
}
