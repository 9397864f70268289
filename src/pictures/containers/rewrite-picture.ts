import { ServiceError } from '../../errors.ts';
import { pictureInvalid, type Rewritten } from './container.ts';
import { rewriteJpeg } from './jpeg.ts';
import { rewritePng } from './png.ts';
import { rewriteWebp } from './webp.ts';

const FORMATS = { 'image/jpeg': rewriteJpeg, 'image/png': rewritePng, 'image/webp': rewriteWebp };
export type PictureType = keyof typeof FORMATS;
export const PICTURE_TYPES = Object.keys(FORMATS) as PictureType[]; // all keys of a constant

export interface PictureBounds {
  readonly maxBytes: number;
  /** Of each side. */
  readonly minPixels: number;
  readonly maxPixels: number;
  readonly isSquare?: boolean;
}

/**
 * Walks the container of a picture and writes it anew with what draws it alone: no metadata, such as a place, no comments, no colour
 * profiles, nothing behind its end. The orientation of a JPEG stays. The coded pixels are copied and never decoded: whether they
 * can be shows in the browser that draws them.
 *
 * @throws {ServiceError} `invalid`, with the words `picture_too_large`, `picture_invalid` or `picture_size`
 */
export function rewritePicture(type: PictureType, bytes: Buffer, bounds: PictureBounds): Rewritten {
  if (bytes.length > bounds.maxBytes) throw pictureTooLarge();
  const picture = rewrite(type, bytes);
  const { width, height } = picture;
  const isAllowed = (side: number) => side >= bounds.minPixels && side <= bounds.maxPixels;
  if (!isAllowed(width) || !isAllowed(height) || (bounds.isSquare && width !== height))
    throw new ServiceError('invalid', 'picture_size', '图片尺寸不符合要求');
  return picture;
}

function rewrite(type: PictureType, bytes: Buffer): Rewritten {
  try {
    return FORMATS[type](bytes);
  } catch (error) {
    throw error instanceof RangeError ? pictureInvalid() : error; // a read behind the end
  }
}

export function pictureTooLarge(): ServiceError {
  return new ServiceError('invalid', 'picture_too_large', '图片文件过大');
}
