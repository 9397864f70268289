// The simplest WebSocket server: every frame gets the same answer, and nothing is kept of a client.
import { WebSocketServer } from 'ws';

const answer = JSON.stringify({ type: 'reply', id: '1', code: 200, data: {} });
const server = new WebSocketServer(
  { port: 0, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false },
  () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
server.on('connection', (socket) => socket.on('message', () => socket.send(answer)));
process.once('SIGTERM', () => process.exit(0));
