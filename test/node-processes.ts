import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scope } from './dispose-after.ts';
import { openBalancer } from './nodes.ts';
import { type Caller, callerOf, type ServerProcess, startServer } from './processes.ts';

/** How often the load balancer asks each node whether it is ready, and how long it waits for the answer. */
const HEALTH_MS = 50;
const HEALTH_ANSWER_MS = 400;
const PRESENCE_MS = 30_000;
/** Short ones, so that a lost node is noticed within seconds. */
const NODE_TIMES = { heartbeatMs: 300, leaseMs: 1_500, linkDownMs: 4_500 };

/** Nodes in processes of their own, and a load balancer without sticky sessions before those that say they are ready. */
export interface NodeProcesses extends Caller {
  readonly nodes: ServerProcess[];
  /** Starts a node in the place of another, and waits until the load balancer uses it. */
  replace(place: number): Promise<ServerProcess>;
}

export async function startNodeProcesses(
  t: Scope,
  settings: Record<string, string>,
  count = 3,
): Promise<NodeProcesses> {
  const start = () =>
    startServer(
      { DRAIN_SECONDS: '2', ...settings },
      [],
      ['test/node-process.ts', JSON.stringify(NODE_TIMES)],
    );
  const nodes: ServerProcess[] = [];
  const ready = new Set<ServerProcess>();
  const checks = new AbortController();
  t.after(async () => {
    checks.abort();
    await Promise.all(nodes.map((node) => node.kill()));
  });
  nodes.push(...(await Promise.all(Array.from({ length: count }, start))));
  const check = async () => {
    while (!checks.signal.aborted) {
      await Promise.all(
        nodes.map(async (node) => {
          if (await isReady(node)) ready.add(node);
          else ready.delete(node);
        }),
      );
      for (const node of ready) if (!nodes.includes(node)) ready.delete(node);
      await delay(HEALTH_MS);
    }
  };
  void check();
  const untilReady = async (node: ServerProcess) => {
    while (!ready.has(node)) await delay(HEALTH_MS);
  };
  const port = await openBalancer(t, () => [...ready].map(({ url }) => Number(new URL(url).port)));
  await Promise.all(nodes.map(untilReady));
  return {
    ...callerOf(`http://127.0.0.1:${port}`),
    nodes,
    async replace(place) {
      const node = await start();
      nodes[place] = node;
      await untilReady(node);
      return node;
    },
  };
}

async function isReady({ url }: ServerProcess): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(HEALTH_ANSWER_MS) });
    return status === 200;
  } catch {
    return false;
  }
}

/** Waits until each of these nodes says that all these users are online, or that none is, as it must within 30 s of any fault. */
export async function untilOnline(
  nodes: readonly ServerProcess[],
  devices: readonly { readonly person: { readonly id: string } }[],
  isOnline: 0 | 1,
): Promise<void> {
  const givesUpAt = performance.now() + PRESENCE_MS;
  for (;;) {
    const answers = nodes.map((node) =>
      Promise.all(devices.map(({ person }) => node.get(`/api/user/profile/${person.id}`))),
    );
    const wrong = (await Promise.all(answers)).map(
      (ofNode) => ofNode.filter(({ body }) => body.data?.isOnline !== isOnline).length,
    );
    if (wrong.every((count) => count === 0)) return;
    assert.ok(performance.now() < givesUpAt, `of ${devices.length} users are wrong at each node: ${wrong}`);
    await delay(100);
  }
}
