import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { recordVisit, wasVisited } from './visited.ts';

const original = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');

afterEach(() => {
  if (original) Object.defineProperty(globalThis, 'localStorage', original);
  else Reflect.deleteProperty(globalThis, 'localStorage');
});

function useStorage(storage: Partial<Storage>): void {
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: storage });
}

test('a browser is known from the first sign-in on, also after the sign-out', () => {
  const kept = new Map<string, string>();
  useStorage({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  });
  assert.equal(wasVisited(), false);
  recordVisit(false);
  assert.equal(wasVisited(), false);
  recordVisit(true);
  assert.deepEqual([...kept], [['doorman.visited', 'in']]);
  recordVisit(false);
  assert.deepEqual([...kept], [['doorman.visited', 'out']]);
  assert.equal(wasVisited(), true);
});

test('without a storage it is known until the page is closed', () => {
  const refuse = () => {
    throw new DOMException('no', 'SecurityError');
  };
  useStorage({ getItem: refuse, setItem: refuse });
  recordVisit(true);
  recordVisit(false);
  assert.equal(wasVisited(), true);
});
