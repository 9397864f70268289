import type { ServerResponse } from 'node:http';

/** `hang` never answers, `drip` sends a byte a second without end, `flood` a gigabyte, `drop` ends the connection. */
export type Behaviour =
  | 'hang'
  | 'drip'
  | 'flood'
  | 'drop'
  | { status: number; headers?: Record<string, string>; body?: string };

/** Answers one request of a push service. */
export function answer(behaviour: Behaviour, response: ServerResponse): void {
  if (behaviour === 'hang') return;
  if (behaviour === 'drop') return void response.destroy();
  if (behaviour === 'drip') {
    response.writeHead(500).write('.');
    const drip = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(drip));
    return;
  }
  if (behaviour === 'flood') {
    response.writeHead(500, { 'content-length': '1000000000' });
    const block = Buffer.alloc(65_536, 'x');
    let left = 1_000_000_000;
    const pour = () => {
      while (left > 0 && !response.destroyed) {
        left -= block.length;
        if (!response.write(left < 0 ? block.subarray(0, block.length + left) : block)) return;
      }
      response.end();
    };
    response.on('drain', pour);
    pour();
    return;
  }
  response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
}
