export interface Line {
  /** From 1, as editors count. */
  readonly number: number;
  /** Without the line's end; null for a line that is longer than the limit. */
  readonly bytes: Buffer | null;
}

/**
 * Cuts a file into lines in constant memory. Lines of white space, and a byte order mark at the start, are left out.
 *
 * @param maxBytes of one line
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Line, void> {
  let parts: Buffer[] = [];
  let size = 0;
  let number = 0;

  const takeLine = (): Line | undefined => {
    number++;
    let bytes = size > maxBytes ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    if (number === 1 && bytes?.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3);
    return bytes === null || !isBlank(bytes) ? { number, bytes } : undefined;
  };

  for await (const chunk of chunks) {
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(0x0a, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      size += part.length;
      if (size > maxBytes) parts = [];
      else parts.push(part);
      if (end < 0) break;
      const line = takeLine();
      if (line) yield line;
      from = end + 1;
    }
  }
  const last = size > 0 ? takeLine() : undefined;
  if (last) yield last;
}

/** Groups items that follow each other, as long as the next one `fits` to those before it. */
export async function* toBatches<T>(
  items: AsyncIterable<T>,
  fits: (batch: readonly T[], next: T) => boolean,
): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.length > 0 && !fits(batch, item)) {
      yield batch;
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** JSON's own white space (RFC 8259, 2). */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
