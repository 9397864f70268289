import type { OutgoingPicture } from 'doorman-client';
import { encodePicture, readPicture } from '../../../ui/pictures/encode-picture.ts';

/** Within what the service accepts, which is 2,560 pixels and 1 MiB. */
const PICTURE = { side: 2048, bytes: 1024 * 1024 };
const PREVIEW = { side: 480, bytes: 32 * 1024 };

/** The picture of a file, as it is sent. @throws if the browser cannot show it as a picture */
export async function preparePicture(file: Blob): Promise<OutgoingPicture> {
  const image = await readPicture(file);
  const { blob, width, height } = await encodePicture(image, PICTURE);
  if (isOwnPreview({ width, height, size: blob.size })) return { blob, width, height };
  return { blob, width, height, preview: (await encodePicture(image, PREVIEW)).blob };
}

export interface PictureFacts {
  readonly width: number;
  readonly height: number;
  readonly size: number;
}

/** Whether a picture is so small that it was sent without a preview. */
export function isOwnPreview({ width, height, size }: PictureFacts): boolean {
  return Math.max(width, height) <= PREVIEW.side && size <= PREVIEW.bytes;
}
