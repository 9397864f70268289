import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, BlockHeights, chooseBlocks } from './block-window.ts';

const SCREEN = 100;
const ALL = 1_000;

function block(key: number, rows = 10): Block {
  return { key, rows: { length: rows } };
}

/** Blocks that are half as high as the screen, all measured. */
function measured(count: number) {
  const heights = new BlockHeights();
  const blocks = Array.from({ length: count }, (_, key) => block(key));
  for (const one of blocks) heights.measured(one, SCREEN / 2);
  return { heights, blocks };
}

interface Options {
  shown?: readonly number[];
  held?: readonly number[];
  maxEntering?: number;
}

function choose(
  { heights, blocks }: { heights: BlockHeights; blocks: readonly Block[] },
  top: number,
  { shown = [], held = [], maxEntering = ALL }: Options = {},
) {
  const { keys, isPartial } = chooseBlocks(blocks, heights, {
    view: { top, height: SCREEN },
    shown: new Set(shown),
    held: new Set(held),
    maxEntering,
  });
  return { keys: [...keys].sort((one, other) => one - other), isPartial };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test('a block has its measured height, and an estimate by those that are measured until then', () => {
  const heights = new BlockHeights();
  assert.equal(heights.of(block(1)), 640);
  heights.measured(block(2), 300);
  assert.deepEqual([heights.of(block(2)), heights.of(block(3))], [300, 300]);
  assert.equal(heights.of(block(1)), 640, 'what is not on the screen keeps its height');
  heights.measured(block(1), 500);
  assert.deepEqual([heights.of(block(1)), heights.isMeasured(block(1))], [500, true]);
});

test('a block with more rows than were measured is higher by their estimate, until it is measured again', () => {
  const heights = new BlockHeights();
  heights.measured(block(1, 10), 300);
  assert.deepEqual([heights.of(block(1, 12)), heights.isMeasured(block(1, 12))], [360, false]);
  heights.measured(block(1, 12), 350);
  assert.deepEqual([heights.of(block(1, 12)), heights.isMeasured(block(1, 12))], [350, true]);
});

test('at another width the measured heights are estimates', () => {
  const heights = new BlockHeights();
  heights.measured(block(1), 300);
  heights.onResize();
  assert.deepEqual([heights.of(block(1)), heights.isMeasured(block(1))], [300, false]);
});

test('blocks within two screens are in the document, and stay until they are three screens away', () => {
  const list = measured(100);
  assert.deepEqual(choose(list, 1_010).keys, range(16, 26));
  assert.deepEqual(choose(list, 1_090, { shown: range(16, 26) }).keys, range(16, 27));
  assert.deepEqual(choose(list, 1_290, { shown: range(16, 26) }).keys, range(19, 31));
});

test('a far place shows its blocks at once, and few others at a time', () => {
  const list = measured(100);
  const first = choose(list, 4_010, { shown: range(0, 4), maxEntering: 3 });
  assert.deepEqual(first, { keys: range(78, 83), isPartial: true });
  const later = choose(list, 4_010, { shown: first.keys, maxEntering: 3 });
  assert.deepEqual(later, { keys: range(77, 85), isPartial: true });
  assert.deepEqual(choose(list, 4_010, { shown: range(76, 86) }), { keys: range(76, 86), isPartial: false });
  assert.deepEqual(choose(list, 4_010, { maxEntering: 0 }), { keys: range(80, 82), isPartial: true });
});

test('held blocks stay, and come, wherever they are', () => {
  const list = measured(100);
  assert.deepEqual(choose(list, 10, { shown: [50], held: [50, 51] }).keys, [...range(0, 6), 50, 51]);
});

test('of blocks above the screen that are not measured, several are measured at once', () => {
  const { heights, blocks } = measured(20);
  const older = { heights, blocks: [...range(-10, -1).map((key) => block(key)), ...blocks] };
  // The estimates of ten blocks are 500 pixels.
  assert.deepEqual(choose(older, 710, { shown: range(0, 9) }).keys, range(0, 10));
  assert.deepEqual(choose(older, 690, { shown: range(0, 9) }).keys, range(-4, 9));
});

test('an empty list has no blocks', () => {
  assert.deepEqual(choose({ heights: new BlockHeights(), blocks: [] }, 0), { keys: [], isPartial: false });
});
