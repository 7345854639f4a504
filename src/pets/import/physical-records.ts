/** Longest record in bytes, without its line feed; a longer one is not kept in memory. */
export const MAX_RECORD_BYTES = 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

export interface PhysicalRecord {
  /** The physical line on which the record begins, from 1. */
  readonly line: number;
  /** The physical line on which it ends. */
  readonly lastLine: number;
  /** Without its line break; undefined if longer than MAX_RECORD_BYTES. */
  readonly bytes: Buffer | undefined;
}

export type RecordBoundary = 'line' | 'line outside quotes';

/**
 * Splits bytes into records, in order, without a byte order mark; lines end with LF or CRLF. Keeps at most one record and one chunk in
 * memory, which a CSV parser does not: it ends at a record that is too long, and reads all after a wrong quote as one field.
 */
export async function* physicalRecords(source: AsyncIterable<Uint8Array>, boundary: RecordBoundary): AsyncGenerator<PhysicalRecord> {
  const assembly = new RecordAssembly(boundary);
  for await (const chunk of withoutByteOrderMark(source)) {
    // `yield*` is 50 % slower.
    for (const record of assembly.read(chunk)) yield record;
  }
  for (const record of assembly.end()) yield record;
}

class RecordAssembly {
  private quotes: Quotes | undefined;
  private line = 1;
  private firstLine = 1;
  private pieces: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly boundary: RecordBoundary) {
    this.begin();
  }

  *read(chunk: Uint8Array): Generator<PhysicalRecord> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.take(chunk.subarray(start, end));
      if (this.quotes?.areOpen === true) this.take(chunk.subarray(end, end + 1));
      else yield this.finish();
      start = end + 1;
      this.line += 1;
    }
    this.take(chunk.subarray(start));
  }

  *end(): Generator<PhysicalRecord> {
    if (this.length > 0) yield this.finish();
  }

  private take(bytes: Uint8Array): void {
    this.quotes?.follow(bytes);
    this.length += bytes.length;
    if (this.length <= MAX_RECORD_BYTES) this.pieces.push(bytes);
    else this.pieces = [];
  }

  private finish(): PhysicalRecord {
    const bytes = this.length <= MAX_RECORD_BYTES ? withoutCarriageReturn(joinPieces(this.pieces)) : undefined;
    const record = { line: this.firstLine, lastLine: this.line, bytes };
    this.firstLine = this.line + 1;
    this.begin();
    return record;
  }

  private begin(): void {
    this.pieces = [];
    this.length = 0;
    this.quotes = this.boundary === 'line' ? undefined : new Quotes();
  }
}

/** Tracks whether a CSV record is inside a quoted field (RFC 4180, section 2.5 to 2.7). */
class Quotes {
  areOpen = false;
  private length = 0;
  private lastByte = COMMA;
  private closedAt: number | undefined;

  follow(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
      const before = at > 0 ? bytes[at - 1] : this.lastByte;
      const position = this.length + at;
      if (this.areOpen) this.closedAt = position;
      // A quote opens at the start of a field; right after one that closed, both stand for one within the field.
      this.areOpen = !this.areOpen && (before === COMMA || this.closedAt === position - 1);
    }
    this.length += bytes.length;
    this.lastByte = bytes.at(-1) ?? this.lastByte;
  }
}

/** Copies nothing if there is one piece, as for most records. */
function joinPieces(pieces: readonly Uint8Array[]): Buffer {
  const [piece] = pieces;
  return piece && pieces.length === 1 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat(pieces);
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
}

async function* withoutByteOrderMark(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < BYTE_ORDER_MARK.length) continue;
    const isMarked = BYTE_ORDER_MARK.equals(start.subarray(0, BYTE_ORDER_MARK.length));
    yield isMarked ? start.subarray(BYTE_ORDER_MARK.length) : start;
    start = undefined;
  }
  if (start !== undefined) yield start;
}
