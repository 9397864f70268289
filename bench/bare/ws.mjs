// The barest WebSocket server: whatever a client says gets one answer, and nothing is known of anybody.
import { WebSocketServer } from 'ws';

const answer = JSON.stringify({ type: 'reply', id: '1', code: 200, data: {} });
const server = new WebSocketServer(
  { port: 0, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false },
  () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
server.on('connection', (socket) => socket.on('message', () => socket.send(answer)));
process.once('SIGTERM', () => process.exit(0));
