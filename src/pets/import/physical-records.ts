import { QuoteState } from './quote-state.js';

/** The longest record that is read, in bytes before its line feed; a longer one is refused without being kept. */
export const MAX_RECORD_BYTES = 1_048_576;

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/** One record of a file as it stands there. */
export interface PhysicalRecord {
  /** The physical line on which the record begins, from 1. */
  readonly line: number;
  /** The physical line on which it ends. */
  readonly lastLine: number;
  /** Its bytes without the line break that ends it; undefined when there are more than MAX_RECORD_BYTES. */
  readonly bytes: Buffer | undefined;
}

/** Where one record ends and the next begins. */
export type RecordBoundary = 'line' | 'line outside quotes';

/**
 * Splits bytes into records in the order of the file. A byte order mark at the start is no part of the first record;
 * a line ends with LF or CRLF; what follows the last line break is a record unless it is empty.
 * Keeps at most one record and one chunk in memory.
 */
export async function* physicalRecords(source: AsyncIterable<Uint8Array>, boundary: RecordBoundary): AsyncGenerator<PhysicalRecord> {
  const assembly = new RecordAssembly(boundary);
  for await (const chunk of withoutByteOrderMark(source)) {
    // Not `yield*`, which took half as long again for each record.
    for (const record of assembly.read(chunk)) yield record;
  }
  for (const record of assembly.end()) yield record;
}

class RecordAssembly {
  private readonly quotes: QuoteState | undefined;
  private line = 1;
  private firstLine = 1;
  private pieces: Uint8Array[] = [];
  private length = 0;

  constructor(boundary: RecordBoundary) {
    this.quotes = boundary === 'line' ? undefined : new QuoteState();
  }

  *read(chunk: Uint8Array): Generator<PhysicalRecord> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.take(chunk.subarray(start, end));
      if (this.quotes?.isOpen === true) this.take(chunk.subarray(end, end + 1));
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
    this.quotes?.read(bytes);
    this.length += bytes.length;
    if (this.length <= MAX_RECORD_BYTES) this.pieces.push(bytes);
    else this.pieces = [];
  }

  private finish(): PhysicalRecord {
    const bytes = this.length <= MAX_RECORD_BYTES ? withoutCarriageReturn(joined(this.pieces)) : undefined;
    const record = { line: this.firstLine, lastLine: this.line, bytes };
    this.pieces = [];
    this.length = 0;
    this.quotes?.reset();
    this.firstLine = this.line + 1;
    return record;
  }
}

/** Without a copy where there is one piece, as of most records. */
function joined(pieces: readonly Uint8Array[]): Buffer {
  const [piece] = pieces;
  return piece && pieces.length === 1 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat(pieces);
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes[bytes.length - 1] === 0x0d ? bytes.subarray(0, -1) : bytes;
}

async function* withoutByteOrderMark(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < BYTE_ORDER_MARK.length) continue;
    yield startsWithByteOrderMark(start) ? start.subarray(BYTE_ORDER_MARK.length) : start;
    start = undefined;
  }
  if (start !== undefined) yield start;
}

function startsWithByteOrderMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
}
