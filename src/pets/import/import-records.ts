import { isUtf8 } from 'node:buffer';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { ApplicationError } from '#libs/observability';
import { parseInt64 } from '#libs/http';
import { physicalRecords, type PhysicalRecord } from './physical-records.js';

const BLANK_LINE = /^[ \t\r]*$/;
const REQUIRED_COLUMNS = ['name', 'categoryId'];
const KNOWN_COLUMNS = [...REQUIRED_COLUMNS, 'status'];

/** A record of a file: the JSON of a NewPet, or why it cannot be read. */
export type ImportRecord =
  | { readonly line: number; readonly json: string; readonly problem?: never }
  | { readonly line: number; readonly problem: string; readonly json?: never };

type Read<Content> = { content: Content; problem?: never } | { problem: string; content?: never };

/** Reads NDJSON in order. Blank lines are skipped but count as lines. */
export async function* ndjsonRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<ImportRecord> {
  for await (const record of physicalRecords(source, 'line')) {
    const { content, problem } = readText(record);
    if (problem !== undefined) yield { line: record.line, problem };
    else if (!BLANK_LINE.test(content)) yield { line: record.line, json: content };
  }
}

/**
 * Reads CSV (RFC 4180) with a header line, in order. Blank lines between records are skipped; an empty `status` is none.
 * @throws ApplicationError `invalid_request` if the header is missing or has repeated, unknown or missing columns
 */
export async function* csvRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<ImportRecord> {
  let columns: readonly string[] | undefined;
  for await (const record of physicalRecords(source, 'line outside quotes')) {
    if (record.bytes?.length === 0) continue;
    if (columns === undefined) columns = readHeader(record);
    else yield toImportRecord(record, columns);
  }
  if (columns === undefined) throw invalidHeader('it is missing');
}

function toImportRecord(record: PhysicalRecord, columns: readonly string[]): ImportRecord {
  const { content: fields, problem } = readFields(record);
  if (problem !== undefined) return { line: record.line, problem };
  if (fields.length !== columns.length) {
    return { line: record.line, problem: `the record has ${fields.length} fields, the header names ${columns.length}` };
  }
  return { line: record.line, json: toNewPetJson(columns, fields) };
}

function readHeader(record: PhysicalRecord): readonly string[] {
  const { content: fields, problem } = readFields(record);
  if (problem !== undefined) throw invalidHeader(problem);
  const unknown = fields.find((column) => !KNOWN_COLUMNS.includes(column));
  if (unknown !== undefined) throw invalidHeader(`"${unknown.slice(0, 100)}" is not a column`);
  const repeated = fields.find((column, index) => fields.indexOf(column) !== index);
  if (repeated !== undefined) throw invalidHeader(`"${repeated}" stands there twice`);
  const missing = REQUIRED_COLUMNS.find((column) => !fields.includes(column));
  if (missing !== undefined) throw invalidHeader(`the column "${missing}" is missing`);
  return fields;
}

function invalidHeader(problem: string): ApplicationError {
  return new ApplicationError(
    'invalid_request',
    `The CSV header is invalid: ${problem}; the first line must name the columns name, categoryId and, optionally, status, separated by commas.`,
  );
}

function readFields(record: PhysicalRecord): Read<readonly string[]> {
  const { content, problem } = readText(record);
  if (problem !== undefined) return { problem: withExtent(problem, record) };
  try {
    const [fields = []] = parse(content, { record_delimiter: '\n', relax_column_count: true });
    return { content: fields };
  } catch (error) {
    return { problem: withExtent(explainCsvError(error), record) };
  }
}

function readText({ bytes }: PhysicalRecord): Read<string> {
  if (bytes === undefined) return { problem: 'longer than 1 MiB' };
  return isUtf8(bytes) ? { content: bytes.toString() } : { problem: 'not valid UTF-8' };
}

function explainCsvError(error: unknown): string {
  if (!(error instanceof CsvError)) throw error;
  switch (error.code) {
    case 'INVALID_OPENING_QUOTE':
      return 'a field with a quote in it must stand in quotes, and that quote must be doubled';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'after a closing quote there must be a comma or the end of the line';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted field is not closed';
    default:
      return 'not valid CSV';
  }
}

function withExtent(problem: string, record: PhysicalRecord): string {
  return record.lastLine === record.line ? problem : `${problem} (the record runs to line ${record.lastLine}: is a closing quote missing?)`;
}

function toNewPetJson(columns: readonly string[], fields: readonly string[]): string {
  const members = columns.flatMap((column, index) => {
    const field = fields[index] ?? '';
    if (column === 'status' && field === '') return [];
    const isNumber = column === 'categoryId' && parseInt64(field) !== undefined;
    return [`"${column}":${isNumber ? field : JSON.stringify(field)}`];
  });
  return `{${members.join(',')}}`;
}
