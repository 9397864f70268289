// The simplest messenger: the token of `hello` is taken as the user id, and each `send` becomes the frames that the service
// makes of it (the reply, the sender's event, the recipient's event). An `ack` makes the receipts of what was delivered since the
// last one. Nothing is checked and nothing is stored.
import { WebSocketServer } from 'ws';

const sockets = new Map();
const server = new WebSocketServer(
  { port: 0, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false },
  () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
server.on('connection', (socket) => {
  let own = '';
  let seq = 0;
  let sent = 0;
  const write = (frame) => socket.send(JSON.stringify(frame));
  const unreceived = new Map();
  const deliver = (at, data, event = 'message') => {
    write({ type: 'event', seq: ++seq, at, event, data });
    if (event === 'message' && data.from !== own) unreceived.set(data.from, data.n);
  };
  socket.on('message', (bytes) => {
    const { type, id, token, to, cid, body } = JSON.parse(bytes);
    if (type === 'hello') {
      own = token;
      sockets.set(own, deliver);
      write({ type: 'reply', id, code: 200, data: { userId: own } });
      write({ type: 'live' });
    } else if (type === 'send') {
      const at = Date.now();
      const n = ++sent;
      deliver(at, { peer: to, n, from: own, cid, body });
      sockets.get(to)(at, { peer: own, n, from: own, cid, body });
      write({ type: 'reply', id, code: 200, data: { peer: to, n, at, duplicate: false } });
    } else if (type === 'ack') {
      const at = Date.now();
      for (const [peer, received] of unreceived) {
        deliver(at, { peer, by: own, received, read: 0 }, 'marked');
        sockets.get(peer)(at, { peer: own, by: own, received, read: 0 }, 'marked');
      }
      unreceived.clear();
    }
  });
});
process.once('SIGTERM', () => process.exit(0));
