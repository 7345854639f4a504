import { isUtf8 } from 'node:buffer';
import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Parser } from 'csv-parse';
import { inputNames, parseInt64, parseJson } from '#libs/http';
import { ApplicationError } from '#libs/observability';
import type { PetValues } from '../commands/add-pet.command.js';
import { PetFields } from '../domain/pet-fields.js';
import { readNewPet } from '../rest/pet.request.js';

/** Longest line of NDJSON and longest record of CSV, in bytes; a longer one is not kept in memory. */
export const MAX_RECORD_BYTES = 1_048_576;

const TOO_LONG = 'longer than 1 MiB';
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);
const BLANK_LINE = /^[ \t]*$/;
const REQUIRED_COLUMNS = ['name', 'categoryId'];
const OPTIONAL_COLUMNS = inputNames(PetFields).filter((name) => !REQUIRED_COLUMNS.includes(name));
const KNOWN_COLUMNS = [...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS];
const LINES_AHEAD = 16;

/** A record of a file. */
export interface ImportRecord {
  /** Its first physical line, from 1. */
  readonly line: number;
  /** Returns the unchecked values of an animal. @throws ApplicationError that says why the record cannot be read */
  readonly read: () => PetValues;
}

/** Reads NDJSON in order. Blank lines are skipped but count as lines. */
export async function* ndjsonRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<ImportRecord> {
  // Each byte is read as a character: of other texts readline also ends lines at U+2028, which may stand within a string of JSON.
  const input = Readable.from(withoutLongLines(source), { objectMode: false, encoding: 'latin1' });
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  for await (const [text] of on(lines, 'line', { close: ['close'], highWaterMark: LINES_AHEAD }) as AsyncIterable<[string]>) {
    line += 1;
    if (!BLANK_LINE.test(text)) yield { line, read: () => readNewPet(parseJson(decode(text))) };
  }
}

/**
 * Reads CSV (RFC 4180) with a header line, in order. Blank lines between records are skipped; an empty optional column is none. After a
 * wrong quote or a record that is too long nothing tells where the next record begins, so that the rest is one record with a problem.
 * @throws ApplicationError `invalid_request` if the header is missing or has repeated, unknown or missing columns
 */
export async function* csvRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<ImportRecord> {
  let columns: readonly string[] | undefined;
  let line = 1;
  for await (const fields of parseCsv(source)) {
    const names = columns;
    if (fields instanceof CsvError) {
      if (!names) throw invalidHeader(explain(fields));
      const refusal = unreadable(`${explain(fields)}; nothing from this line on was read`);
      yield {
        line,
        read: () => {
          throw refusal;
        },
      };
      return;
    }
    if (fields.length > 1 || fields[0] !== '') {
      if (names) yield { line, read: () => toValues(names, fields) };
      else columns = readHeader(fields.map((field) => Buffer.from(field, 'latin1').toString()));
    }
    line += fields.join().split('\n').length;
  }
  if (!columns) throw invalidHeader('it is missing');
}

/** Parses records to fields whose characters are the bytes; the first error stands in its place among the records. */
function parseCsv(source: AsyncIterable<Uint8Array>): AsyncIterable<string[] | CsvError> {
  const parser: Parser = parse({
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n'],
    max_record_size: MAX_RECORD_BYTES,
    relax_column_count: true,
    // An error that ended the stream would take the records before it along that were not read yet.
    skip_records_with_error: true,
    on_skip: (error) => void parser.push(error),
  });
  pipeline(withoutLongLines(source), parser, () => undefined);
  return parser;
}

/**
 * Leaves out a byte order mark, and what follows in a line that is longer than a record may be, chunk by chunk: the line stays too long, and
 * is kept in memory up to little more than that.
 */
async function* withoutLongLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isStart = true;
  let length = 0;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(LINE_FEED);
    if (end >= 0 || length <= MAX_RECORD_BYTES) yield isStart && isMarked(chunk) ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
    length = end >= 0 ? chunk.length - end - 1 : length + chunk.length;
    isStart = false;
  }
}

function isMarked(chunk: Uint8Array): boolean {
  return BYTE_ORDER_MARK.equals(chunk.subarray(0, BYTE_ORDER_MARK.length));
}

/** Returns the text of characters that are bytes. @throws ApplicationError if they are not UTF-8, or too many */
function decode(text: string): string {
  if (text.length > MAX_RECORD_BYTES) throw unreadable(TOO_LONG);
  const bytes = Buffer.from(text, 'latin1');
  if (!isUtf8(bytes)) throw unreadable('not valid UTF-8');
  return bytes.toString();
}

function unreadable(problem: string): ApplicationError {
  return new ApplicationError('invalid_request', problem);
}

function readHeader(fields: readonly string[]): readonly string[] {
  const unknown = fields.find((column) => !KNOWN_COLUMNS.includes(column));
  if (unknown !== undefined) throw invalidHeader(`${JSON.stringify(unknown.slice(0, 100))} is not a column`);
  const repeated = fields.find((column, index) => fields.indexOf(column) !== index);
  if (repeated !== undefined) throw invalidHeader(`"${repeated}" stands there twice`);
  const missing = REQUIRED_COLUMNS.find((column) => !fields.includes(column));
  if (missing !== undefined) throw invalidHeader(`the column "${missing}" is missing`);
  return fields;
}

function invalidHeader(problem: string): ApplicationError {
  return unreadable(
    `The CSV header is invalid: ${problem}; the first line must name the columns name, categoryId and, optionally, ${OPTIONAL_COLUMNS.join(', ')}, separated by commas.`,
  );
}

function explain({ code }: CsvError): string {
  switch (code) {
    case 'INVALID_OPENING_QUOTE':
      return 'a field with a quote in it must stand in quotes, and that quote must be doubled';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'after a closing quote there must be a comma or the end of the line';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted field is not closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `${TOO_LONG} (is a closing quote missing?)`;
    default:
      return 'not valid CSV';
  }
}

function toValues(columns: readonly string[], fields: readonly string[]): PetValues {
  if (fields.length !== columns.length) {
    throw unreadable(`the record has ${fields.length} fields, the header names ${columns.length}`);
  }
  const values: Record<string, unknown> = Object.fromEntries(columns.map((column, index) => [column, decode(fields[index] ?? '')]));
  for (const column of OPTIONAL_COLUMNS) if (values[column] === '') values[column] = undefined;
  const { categoryId } = values;
  return { ...values, categoryId: parseInt64(String(categoryId)) ?? categoryId };
}
