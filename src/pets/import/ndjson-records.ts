import { decodeRecord, type ImportRecord } from './import-record.js';
import { physicalRecords } from './physical-records.js';

const BLANK_LINE = /^[ \t\r]*$/;

/** The records of newline-delimited JSON, one a line, in the order of the file. Blank lines are skipped but counted as lines. */
export async function* ndjsonRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<ImportRecord> {
  for await (const record of physicalRecords(source, 'line')) {
    const { text, problem } = decodeRecord(record);
    if (problem !== undefined) yield { line: record.line, problem };
    else if (!BLANK_LINE.test(text)) yield { line: record.line, json: text };
  }
}
