import { findStrayStatements } from './statement-log.js';

const SESSION = '6741a2b3.1f4';
const BEGIN = 'statement: BEGIN; SELECT pg_advisory_xact_lock(4201337)';
const INSERT =
  'execute statement_4: INSERT INTO "events" ("position") SELECT "position"\n\tFROM json_populate_recordset(NULL::"events", $1)';

/** Lines of one session, each in a transaction of the number that it is given with. */
function log(...entries: readonly (readonly [transaction: number, message: string, severity?: string])[]): string {
  return entries
    .map(([transaction, message, severity = 'LOG']) => `${SESSION}|5/${transaction}|animal-adoption|${severity}:  ${message}\n`)
    .join('');
}

describe('the reader of a statement log', () => {
  const find = (text: string): string => findStrayStatements(text).join('\n');

  it('finds nothing in writes that each stand in a transaction with the write lock, and in reads', () => {
    const write = (transaction: number) =>
      log([transaction, BEGIN], [transaction, INSERT], [transaction, "parameters: $1 = '[]'", 'DETAIL']);
    const read = log([2, 'execute a: SELECT $1'], [2, `parameters: $1 = 'INSERT INTO "events"'`, 'DETAIL']);
    expect(find(`${write(1)}${log([1, 'statement: COMMIT'])}${read}${write(3)}`)).toBe('');
  });

  it('leaves out a transaction that had begun before the reading', () => {
    const begun = log([1, BEGIN]);
    expect(findStrayStatements(begun + log([1, INSERT], [2, INSERT]), begun.length)).toEqual([
      expect.stringContaining('transaction 5/2 of session'),
    ]);
  });

  it('takes the lock as a statement of its own, and with a parameter', () => {
    const locks = log(
      [1, 'statement: START TRANSACTION'],
      [1, 'execute lock: SELECT pg_advisory_xact_lock($1)'],
      [1, `parameters: $1 = '4201337'`, 'DETAIL'],
    );
    expect(find(locks + log([1, INSERT]))).toBe('');
  });

  it('takes the lock of a checkpoint for tables of projections, and for no others', () => {
    const lock = 'execute a: SELECT "position"\n\tFROM "projection_checkpoints" WHERE "name" = $1 FOR UPDATE';
    const change = (table: string) => log([1, 'statement: BEGIN'], [1, lock], [1, `execute b: INSERT INTO "${table}" ("id") SELECT 1`]);
    for (const table of ['pet_search_v2', 'pet_search_v2_build_3', 'projection_checkpoints']) expect(find(change(table))).toBe('');
    expect(find(change('events'))).toContain('changed events without its lock');
  });

  it('leaves to others what is not of the service', () => {
    expect(find(log([1, INSERT]).replace('animal-adoption', 'psql'))).toBe('');
  });

  it('leaves out what an error has undone', () => {
    expect(find(log([1, INSERT], [1, 'cannot execute INSERT in a read-only transaction', 'ERROR']))).toBe('');
    expect(find(log([1, INSERT], [2, 'canceling statement due to user request', 'ERROR']))).toContain('changed events and was not begun');
  });

  it.each([
    [
      'a change behind a beginning that failed',
      log([1, BEGIN], [1, 'canceling statement', 'ERROR'], [2, INSERT]),
      'changed events and was not begun',
    ],
    ['a change without the lock', log([1, 'statement: BEGIN'], [1, INSERT]), 'changed events without its lock'],
    ['a write in the transaction of the one before', log([1, BEGIN], [1, INSERT], [1, BEGIN], [1, INSERT]), 'was begun a second time'],
    ['a change of a table itself', log([1, 'statement: ALTER TABLE "pets_v1_build_2" RENAME TO "pets_v1"']), 'changed pets_v1_build_2'],
    [
      'a deletion inside of a statement',
      log([1, 'execute a: WITH "old" AS (\n\tDELETE FROM "idempotency_keys")\n\tSELECT 1']),
      'idempotency_keys',
    ],
  ])('finds %s', (_, text, sentence) => {
    expect(find(text)).toContain(sentence);
  });
});
