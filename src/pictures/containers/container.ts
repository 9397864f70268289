import { ServiceError } from '../../errors.ts';

/** A picture with nothing in it but what draws it. */
export interface Rewritten {
  readonly bytes: Buffer;
  /** As shown: those of a JPEG that is turned by a quarter are exchanged. */
  readonly width: number;
  readonly height: number;
}

/** Chunks or segments of a picture. Encoders make some hundred; a hundred thousand empty ones would keep the process busy. */
export const MAX_PARTS = 4_000;

/** @throws {ServiceError} `picture_invalid`, unless it holds */
export function expect(holds: boolean): asserts holds {
  if (!holds) throw pictureInvalid();
}

export function pictureInvalid(): ServiceError {
  return new ServiceError('invalid', 'picture_invalid', '图片内容无效');
}

/** @throws {ServiceError} `picture_invalid`, if there are fewer bytes */
export function cut(bytes: Buffer, start: number, length: number): Buffer {
  expect(start + length <= bytes.length);
  return bytes.subarray(start, start + length);
}
