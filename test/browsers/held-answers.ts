import type { Page } from 'puppeteer-core';

export interface HeldAnswers {
  /** Hands the page all that was held back, and holds back nothing more. */
  release(): Promise<void>;
}

/** Holds back the answers to requests for `path`, which the service has carried out by then. Only in Chromium. */
export async function holdAnswers(page: Page, path: string): Promise<HeldAnswers> {
  const session = await page.createCDPSession();
  const held: string[] = [];
  session.on('Fetch.requestPaused', ({ requestId }) => held.push(requestId));
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}`, requestStage: 'Response' }] });
  return {
    async release() {
      await Promise.all(held.map((requestId) => session.send('Fetch.continueRequest', { requestId })));
      await session.detach();
    },
  };
}
