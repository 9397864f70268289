import type { OutgoingPicture } from '../events.ts';

/** The bytes of a picture in the storage, whose values are plain JSON. */
export interface StoredPicture {
  readonly picture: StoredBlob;
  readonly preview?: StoredBlob;
  readonly width: number;
  readonly height: number;
}

interface StoredBlob {
  readonly type: string;
  readonly base64: string;
}

/** `String.fromCharCode` takes no more arguments in some browsers. */
const SLICE = 32_768;

export async function toStoredPicture({
  blob,
  preview,
  width,
  height,
}: OutgoingPicture): Promise<StoredPicture> {
  return {
    picture: await toStoredBlob(blob),
    ...(preview && { preview: await toStoredBlob(preview) }),
    width,
    height,
  };
}

export function fromStoredPicture({ picture, preview, width, height }: StoredPicture): OutgoingPicture {
  return { blob: toBlob(picture), ...(preview && { preview: toBlob(preview) }), width, height };
}

async function toStoredBlob(blob: Blob): Promise<StoredBlob> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE)
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  return { type: blob.type, base64: btoa(text) };
}

function toBlob({ type, base64 }: StoredBlob): Blob {
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type });
}
