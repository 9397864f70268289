// The service as dev.ts runs it: sends its address once it serves, and stops when the channel to dev.ts closes, whether
// dev.ts closed it or died. Works without signals, which Windows does not have.
import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';

process.channel?.unref(); // It must not keep a stopped service alive.
process.once('disconnect', () => {
  const isStarting = !process.emit('SIGTERM', 'SIGTERM');
  if (isStarting) process.exit();
});
subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const { server } = message as { server: Server }; // Node's documentation, Diagnostics Channel, net
  process.send?.(server.address());
});
await import('../src/main.ts');
