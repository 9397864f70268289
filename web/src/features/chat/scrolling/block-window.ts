/** A part of a long list that is in the document as a whole, or not at all. */
export interface Block {
  /** The same as long as the block exists; blocks are in its order. */
  readonly key: number;
  readonly rows: { readonly length: number };
}

/** What of the list is on the screen, in pixels below the upper edge of the first block. */
interface View {
  readonly top: number;
  readonly height: number;
}

interface Window {
  readonly keys: ReadonlySet<number>;
  /** Some blocks near the screen are left for the next time. */
  readonly isPartial: boolean;
}

/** The height of a row in pixels, until one is measured. */
const ESTIMATED_ROW_PX = 64;
/** Blocks are in the document from this distance to the screen on, in heights of the screen. */
const ENTER_SCREENS = 2;
/** They leave it from this one on, so that a small movement does not bring them back. */
const LEAVE_SCREENS = 3;
/** Blocks above the screen that are measured at once: each estimate that is corrected there changes the scroll position. */
const MEASURED_AT_ONCE = 4;

interface Height {
  readonly pixels: number;
  readonly rows: number;
  readonly isMeasured: boolean;
}

/** The heights of the blocks at the current width, measured while they were in the document, or else estimated. */
export class BlockHeights {
  readonly #heights = new Map<number, Height>();
  #measuredPixels = 0;
  #measuredRows = 0;

  /** An estimate stays the same until the block is measured or gets another number of rows. */
  of({ key, rows }: Block): number {
    const known = this.#heights.get(key);
    if (known?.rows === rows.length) return known.pixels;
    const added = (rows.length - (known?.rows ?? 0)) * this.#rowPixels();
    const pixels = Math.max(0, (known?.pixels ?? 0) + added);
    this.#heights.set(key, { pixels, rows: rows.length, isMeasured: false });
    return pixels;
  }

  isMeasured({ key, rows }: Block): boolean {
    const known = this.#heights.get(key);
    return known?.rows === rows.length && known.isMeasured;
  }

  measured(block: Block, pixels: number): void {
    if (!this.isMeasured(block)) {
      this.#measuredPixels += pixels;
      this.#measuredRows += block.rows.length;
    }
    this.#heights.set(block.key, { pixels, rows: block.rows.length, isMeasured: true });
  }

  /** At another width lines break elsewhere: what was measured is an estimate now. */
  onResize(): void {
    for (const [key, height] of this.#heights) this.#heights.set(key, { ...height, isMeasured: false });
    this.#measuredPixels = 0;
    this.#measuredRows = 0;
  }

  #rowPixels(): number {
    return this.#measuredRows === 0 ? ESTIMATED_ROW_PX : this.#measuredPixels / this.#measuredRows;
  }
}

interface Choice {
  readonly view: View;
  /** The keys of the blocks in the document. */
  readonly shown: ReadonlySet<number>;
  /** The keys of blocks that have to be in the document, wherever they are. */
  readonly held: ReadonlySet<number>;
  /** How many blocks may enter that are not on the screen: each takes its time. */
  readonly maxEntering: number;
}

/** The blocks that should be in the document: those on the screen and near it, and those that are held. */
export function chooseBlocks(
  blocks: readonly Block[],
  heights: BlockHeights,
  { view, shown, held, maxEntering }: Choice,
): Window {
  const keys = new Set<number>();
  const entering: { key: number; distance: number }[] = [];
  /** Directly above the block that is looked at. */
  let unmeasured: typeof entering = [];
  let top = 0;
  for (const block of blocks) {
    const { key } = block;
    const bottom = top + heights.of(block);
    const distance = Math.max(view.top - bottom, top - view.top - view.height, 0);
    const isShown = shown.has(key);
    const reach = (isShown ? LEAVE_SCREENS : ENTER_SCREENS) * view.height;
    const isWanted = distance <= reach || held.has(key);
    if (isShown && isWanted) keys.add(key);
    else if (isWanted) entering.push({ key, distance });
    const isEstimated = !heights.isMeasured(block);
    if (isWanted && isEstimated && bottom <= view.top) entering.push(...unmeasured);
    unmeasured =
      isEstimated && !isWanted ? [...unmeasured, { key, distance }].slice(1 - MEASURED_AT_ONCE) : [];
    top = bottom;
  }
  entering.sort((one, other) => one.distance - other.distance);
  const visible = entering.filter(({ distance }) => distance === 0).length;
  const taken = entering.slice(0, visible + maxEntering);
  for (const { key } of taken) keys.add(key);
  return { keys, isPartial: taken.length < entering.length };
}
