import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toLines } from '../imported.ts';
import { makeTemporaryFolder, removeFolder } from '../temporary-folders.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSiteProcess } from './site.ts';
import { waitFor } from './waiting.ts';

onChromium('Conversations of an import', (browser) => {
  test('show what is unread, also on a device that was there before', async (t) => {
    const site = await startSiteProcess(t);
    const folder = await makeTemporaryFolder('moved-in');
    t.after(() => removeFolder(folder));
    const importLines = async (...lines: object[]) => {
      const file = join(folder, 'product.jsonl');
      await writeFile(file, toLines(...lines));
      return site.command('import', file);
    };
    const user = (id: string, username: string) => ({ id, username, password: `password-of-${username}` });
    await importLines(user('42', 'alice'), user('auth0|b', 'bob'), user('eu-west-1:c', 'carol'));
    const her = await arrive(t, browser(), site, 'alice');
    await her.signIn();
    await her.page.waitForFunction(() => document.body.innerText.includes('No conversations yet'));

    her.faults.expectOutage();
    await site.kill();
    const message = (id: string, from: string, to: string, read: boolean) => ({
      message: { id, from, to, body: `text of ${id}`, at: Date.now() - 1_000, read },
    });
    await importLines(
      message('1', 'auth0|b', '42', true),
      message('2', '42', 'auth0|b', true),
      message('3', 'eu-west-1:c', '42', true),
      message('4', 'eu-west-1:c', '42', false),
      message('5', 'eu-west-1:c', '42', true),
    );
    await site.start();
    const rows = () =>
      her.page.$$eval('[data-testid="conversations"] li', (all) =>
        all.map((row) => row.innerText.replace(/\s+/g, ' ')),
      );
    await waitFor('both conversations', async () => (await rows()).length === 2, 60_000);
    const [carols = '', bobs = ''] = (await rows()).sort((a) => (a.includes('carol') ? -1 : 1));
    assert.match(carols, /carol .* text of 5 2 2 unread$/);
    assert.match(bobs, /bob .* You: text of 2$/);
    assert.match(await her.page.title(), /^\(2\)/);
    assert.doesNotMatch(await site.command('check'), /FAULT/);
  });
});
