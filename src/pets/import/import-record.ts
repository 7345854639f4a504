import type { PhysicalRecord } from './physical-records.js';

/** One animal of a file: the JSON text of a NewPet, or why the record cannot be read. */
export type ImportRecord =
  | { readonly line: number; readonly json: string; readonly problem?: never }
  | { readonly line: number; readonly problem: string; readonly json?: never };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A record's text, or why it has none. */
export function decodeRecord(record: PhysicalRecord): { text: string; problem?: never } | { problem: string; text?: never } {
  if (record.bytes === undefined) return { problem: 'longer than 1 MiB' };
  try {
    return { text: strictUtf8.decode(record.bytes) };
  } catch {
    return { problem: 'not valid UTF-8' };
  }
}
