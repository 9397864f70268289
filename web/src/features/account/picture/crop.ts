/** How large the square of an uploaded picture is at most, in pixels and bytes: as much as the service takes. */
const MAX = { side: 512, bytes: 64 * 1024 };
const MIN_SIDE = 16;
export const MAX_ZOOM = 4;

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A square of a picture: how much smaller it is than the largest one, and its middle in pixels. */
export interface Crop {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

/** The largest square, in the middle. */
export function largestCrop({ width, height }: Size): Crop {
  return { zoom: 1, x: width / 2, y: height / 2 };
}

/** The nearest crop inside of the picture. */
export function inside(picture: Size, { zoom, x, y }: Crop): Crop {
  const within = clamp(zoom, 1, MAX_ZOOM);
  const half = sideOf(picture, within) / 2;
  return {
    zoom: within,
    x: clamp(x, half, picture.width - half),
    y: clamp(y, half, picture.height - half),
  };
}

/** As `drawImage` takes it. */
export function squareOf(picture: Size, crop: Crop): { x: number; y: number } & Size {
  const side = sideOf(picture, crop.zoom);
  return { x: crop.x - side / 2, y: crop.y - side / 2, width: side, height: side };
}

/**
 * The crop moved by a part of what is shown of it: 1 is the whole side.
 *
 * @param right how far the shown part moves over the picture
 */
export function moved(picture: Size, crop: Crop, right: number, down: number): Crop {
  const side = sideOf(picture, crop.zoom);
  return inside(picture, { ...crop, x: crop.x + right * side, y: crop.y + down * side });
}

/** The sizes in which a square is encoded until one is small enough. A small picture is not made larger than the service needs it. */
export function sidesOf(picture: Size, crop: Crop): number[] {
  const most = clamp(Math.round(sideOf(picture, crop.zoom)), MIN_SIDE, MAX.side);
  return [1, 0.75, 0.5, 0.25].map((scale) => Math.max(MIN_SIDE, Math.round(most * scale)));
}

export const MAX_BYTES = MAX.bytes;

function sideOf({ width, height }: Size, zoom: number): number {
  return Math.min(width, height) / zoom;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
