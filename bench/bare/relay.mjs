// The simplest messenger: the token of `hello` is taken as the user id, and each `send` becomes the frames that the service
// makes of it (the reply, the sender's event, the recipient's event). Nothing is checked and nothing is stored.
import { WebSocketServer } from 'ws';

const sockets = new Map();
const server = new WebSocketServer(
  { port: 0, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false },
  () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
server.on('connection', (socket) => {
  let own = '';
  let seq = 0;
  const write = (frame) => socket.send(JSON.stringify(frame));
  const deliver = (at, data) => write({ type: 'event', seq: ++seq, at, event: 'message', data });
  socket.on('message', (bytes) => {
    const { type, id, token, to, cid, body } = JSON.parse(bytes);
    if (type === 'hello') {
      own = token;
      sockets.set(own, deliver);
      write({ type: 'reply', id, code: 200, data: { userId: own } });
      write({ type: 'live' });
    } else if (type === 'send') {
      const at = Date.now();
      const n = seq + 1;
      deliver(at, { peer: to, n, from: own, cid, body });
      sockets.get(to)(at, { peer: own, n, from: own, cid, body });
      write({ type: 'reply', id, code: 200, data: { peer: to, n, at, duplicate: false } });
    }
  });
});
process.once('SIGTERM', () => process.exit(0));
