// Renders the reference page in a thread of its own: loading the package takes a tenth of a second of processor time.
import { parentPort } from 'node:worker_threads';
import { renderReference } from './reference-page.ts';
import { storeAnswer } from './stored-answer.ts';

const { script, ...page } = await renderReference({ openapi: '/openapi.json', script: '/docs/reference.js' });
const { etag, ...stored } = await storeAnswer(script);
// Copies with memory of their own, which is moved to the other thread: copying six megabytes there takes milliseconds.
const [identity, br, gzip] = [stored.identity, stored.br, stored.gzip].map((bytes) => new Uint8Array(bytes));
const moved = [identity, br, gzip].flatMap((bytes) => (bytes ? [bytes.buffer] : []));
parentPort?.postMessage({ ...page, script: { etag, identity, br, gzip } }, moved);
