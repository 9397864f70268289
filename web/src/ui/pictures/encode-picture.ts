/** Tried one after the other until a picture is small enough; then it is made smaller. */
const QUALITIES = [0.85, 0.7, 0.55, 0.4];
const SHRINK = 0.75;

interface EncodedPicture {
  readonly blob: Blob;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The pixels of a file, upright. @throws if the browser cannot show it as a picture */
export async function readPicture(file: Blob): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
  } finally {
    URL.revokeObjectURL(image.src);
  }
  if (image.naturalWidth === 0) throw new Error('a drawing without a size');
  return image;
}

/** A picture with no side longer than `side` and no more than `bytes`. Nothing of the file is left but its pixels: no place, no camera. */
export async function encodePicture(
  image: HTMLImageElement,
  { side, bytes }: { side: number; bytes: number },
): Promise<EncodedPicture> {
  const { naturalWidth, naturalHeight } = image;
  const whole = { x: 0, y: 0, width: naturalWidth, height: naturalHeight };
  for (let scale = Math.min(1, side / Math.max(naturalWidth, naturalHeight)); ; scale *= SHRINK) {
    const width = Math.max(1, Math.round(naturalWidth * scale));
    const height = Math.max(1, Math.round(naturalHeight * scale));
    const blob = await encodePart(image, whole, { width, height, bytes });
    if (blob) return { blob, width, height };
  }
}

/**
 * A part of a picture, drawn at another size: WebP, else JPEG on white, as Safari encodes no WebP and a JPEG has no transparency.
 *
 * @param part in pixels of the picture
 * @returns `undefined` if it has more than `bytes`, at any quality
 */
export async function encodePart(
  image: HTMLImageElement,
  part: { x: number; y: number; width: number; height: number },
  { width, height, bytes }: { width: number; height: number; bytes: number },
): Promise<Blob | undefined> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser has no canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, part.x, part.y, part.width, part.height, 0, 0, width, height);
  let type = 'image/webp';
  for (const quality of QUALITIES) {
    let blob = await toBlob(canvas, type, quality);
    if (blob.type !== type) {
      type = 'image/jpeg';
      context.globalCompositeOperation = 'destination-over';
      context.fillStyle = '#fff';
      context.fillRect(0, 0, width, height);
      blob = await toBlob(canvas, type, quality);
    }
    if (blob.size <= bytes) return blob;
  }
  return undefined;
}

function toBlob(canvas: HTMLCanvasElement, type: string, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) =>
      blob ? resolve(blob) : reject(new Error('the browser cannot encode it'));
    canvas.toBlob(done, type, quality);
  });
}
