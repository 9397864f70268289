import type { Page } from 'puppeteer-core';

export interface HeldAnswers {
  /** Delivers the held answers to the page, and holds no more. */
  release(): Promise<void>;
}

/** Holds back the answers to requests for `path`, after the service has executed them. Only in Chromium. */
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
