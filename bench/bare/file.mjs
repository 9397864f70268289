// The simplest server of a picture: fastify that reads a file for every request.
//   node bench/bare/file.mjs FILE
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';

const [file] = process.argv.slice(2);

const app = fastify();
app.get('/*', async (_request, reply) => reply.type('image/png').send(await readFile(file)));
const url = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ url }));
process.once('SIGTERM', () => process.exit(0));
