// The simplest HTTP server: node:http that sends one text from memory for every request.
//   node bench/bare/http.mjs FILE STATUS      FILE holds the bytes of the body
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file, status] = process.argv.slice(2);
const bytes = readFileSync(file);
// Node sends a short text with its headers in one write; a string saves it a copy.
const body = bytes.length < 65_536 ? bytes.toString() : bytes;
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length };

const server = createServer((_request, response) => {
  response.writeHead(Number(status), headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
process.once('SIGTERM', () => process.exit(0));
