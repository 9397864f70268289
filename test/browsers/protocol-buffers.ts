/** The part of Protocol Buffers that Google's push service uses: numbers, fixed64, bytes and text. */

/** The values of each field, under its number, as they came: a field may be repeated. */
export class Message {
  readonly #fields = new Map<number, (bigint | Buffer)[]>();

  constructor(bytes: Buffer) {
    for (let at = 0; at < bytes.length; ) {
      const [tag, start] = readVarint(bytes, at);
      const [value, end] = readValue(bytes, start, Number(tag & 7n));
      const field = Number(tag >> 3n);
      this.#fields.set(field, [...(this.#fields.get(field) ?? []), value]);
      at = end;
    }
  }

  /** A number, varint or fixed; `undefined` if the field is absent. */
  number(field: number): bigint | undefined {
    return this.#fields.get(field)?.find((value) => typeof value === 'bigint');
  }

  texts(field: number): string[] {
    return (this.#fields.get(field) ?? []).map(String);
  }
}

function readValue(bytes: Buffer, at: number, wireType: number): [bigint | Buffer, number] {
  if (wireType === 0) return readVarint(bytes, at);
  if (wireType === 1) return [bytes.readBigUInt64LE(at), at + 8];
  if (wireType === 5) return [BigInt(bytes.readUInt32LE(at)), at + 4];
  if (wireType !== 2) throw new Error(`Protocol Buffers have no wire type ${wireType}`);
  const [length, start] = readVarint(bytes, at);
  const end = start + Number(length);
  return [bytes.subarray(start, end), end];
}

/** @throws {RangeError} if the bytes end before the number does */
export function readVarint(bytes: Buffer, at: number): [value: bigint, end: number] {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes.readUInt8(at++);
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

export function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 128 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

export function intField(field: number, value: bigint | number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint((field << 3) | 1), bytes]);
}

export function bytesField(field: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}
