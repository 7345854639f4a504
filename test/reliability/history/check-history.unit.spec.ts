import { checkHistory } from './check-history.js';
import { bodyOf, type AddAttempt, type Addition, type FinalState, type History } from './history.js';
import { mutationsOf } from './mutations.js';

const REX: Addition = { name: 'Rex', categoryId: '9223372036854775807', status: 'sold', idempotencyKey: 'key of Rex', valid: true };
const TOM: Addition = { name: 'Tom', categoryId: '1', idempotencyKey: 'key of Tom', valid: true };
const EVE: Addition = { name: 'Eve', categoryId: '1', valid: true };

const answered = (status: number, text: string, replayed = false) => ({ kind: 'answered', status, text, replayed }) as const;
const UNKNOWN = { kind: 'unknown', reason: 'ECONNRESET' } as const;
const attempt = (addition: Addition, outcome: AddAttempt['outcome'], begun = 0): AddAttempt => ({
  addition,
  begun,
  ended: begun + 1,
  outcome,
});

function added(...additions: readonly Addition[]): FinalState {
  const events = additions.map(({ name, categoryId, status }, index) => ({
    position: BigInt(index + 1),
    stream: `pet-${index + 1}`,
    version: 1n,
    type: 'pet-added',
    data: JSON.stringify({ name, categoryId, ...(status !== undefined && { status }) }),
  }));
  const keys = additions.flatMap(({ idempotencyKey: key }, index) =>
    key === undefined ? [] : [{ key, firstPosition: BigInt(index + 1), lastPosition: BigInt(index + 1) }],
  );
  const rows = additions.map((addition, index) => bodyOf(String(index + 1), addition));
  return { events, keys, rows, listed: rows, problems: [] };
}

const RIGHT: History = {
  adds: [
    attempt(REX, UNKNOWN),
    attempt(REX, answered(201, bodyOf('1', REX), true), 1),
    attempt(TOM, answered(201, bodyOf('2', TOM)), 3),
    attempt(TOM, answered(201, bodyOf('2', TOM), true), 5),
    attempt({ ...TOM, name: 'Tim', valid: false }, answered(422, '{}'), 7),
  ],
  reads: [{ id: '1', expected: bodyOf('1', REX), outcome: answered(200, bodyOf('1', REX)) }],
};
const STATE = added(REX, TOM);
const asTom = (outcome: AddAttempt['outcome']): Partial<History> => ({ adds: [...RIGHT.adds, attempt(TOM, outcome, 9)] });

describe('the checker of histories', () => {
  const check = (history: Partial<History>, state: Partial<FinalState>) => checkHistory({ ...RIGHT, ...history }, { ...STATE, ...state });

  it('finds nothing in a history that is right, with whatever became of an animal whose outcome is unknown', () => {
    expect(check({}, {})).toEqual([]);
    for (const state of [added(), added(REX)]) expect(checkHistory({ adds: [attempt(REX, UNKNOWN)], reads: [] }, state)).toEqual([]);
    expect(checkHistory({ adds: [attempt(EVE, UNKNOWN)], reads: [] }, added(EVE))).toEqual([]);
    const set = { position: 3n, stream: 'pet-1', version: 2n, type: 'pet-status-set', data: '{"status":"available"}' };
    const rows = STATE.rows.with(0, bodyOf('1', { ...REX, status: 'available' }));
    expect(check({}, { events: [...STATE.events, set], rows, listed: rows })).toEqual([]);
    expect(check({}, { events: [...STATE.events, set] }).join()).toContain('the table has {"id":1');
  });

  const mutations: readonly (readonly [string, Partial<FinalState>])[] = [
    ...mutationsOf('the log', STATE.events, (event) => ({ ...event, version: 2n })).map(([what, events]) => [what, { events }] as const),
    ...mutationsOf('the log', STATE.events, (event) => ({ ...event, data: event.data.replace('categoryId":"', '$&1') })).map(
      ([what, events]) => [what, { events }] as const,
    ),
    ...STATE.keys.map(({ key }, index) => [`the keys without ${key}`, { keys: STATE.keys.toSpliced(index, 1) }] as const),
    ...STATE.keys.map((key, index) => [`${key.key} for others`, { keys: STATE.keys.with(index, { ...key, lastPosition: 9n }) }] as const),
    ...STATE.rows.map((row, index) => [`the table without ${row}`, { rows: STATE.rows.toSpliced(index, 1) }] as const),
    ...mutationsOf('the list', STATE.listed, (body) => body.replace('"name":"', '$&x')).map(
      ([what, listed]) => [what, { listed }] as const,
    ),
    ['the list in another order', { listed: STATE.listed.toReversed() }],
    ['the log in another order', { events: STATE.events.toReversed() }],
  ];
  it.each(mutations)('finds that something is wrong with %s', (_, state) => {
    expect(check({}, state)).not.toEqual([]);
  });

  it.each<[string, Partial<History>, Partial<FinalState>]>([
    ['Tom was acknowledged with id 2 and is not in the log', {}, added(REX)],
    ['Tom is in the log 2 times: ids 2, 3', {}, added(REX, TOM, TOM)],
    ['Eve is in the log and nobody added it', {}, added(REX, TOM, EVE)],
    [
      'Eve is in the log and must not be taken',
      { adds: [...RIGHT.adds, attempt({ ...EVE, valid: false }, UNKNOWN)] },
      added(REX, TOM, EVE),
    ],
    ['Tim was refused with 422 and is in the log', {}, added(REX, TOM, { ...TOM, name: 'Tim' })],
    ['the key of Tom is stored and the animal is not in the log', {}, { ...added(REX), keys: STATE.keys }],
    ['and then as', asTom(answered(201, bodyOf('3', TOM), true)), {}],
    ['a second time as if it had been the first', asTom(answered(201, bodyOf('2', TOM))), {}],
    ['adding Tom was answered with 500', asTom(answered(500, '{}')), {}],
    ['reading 1 after its acknowledgement was answered with 404', { reads: [{ id: '1', expected: '', outcome: answered(404, '{}') }] }, {}],
    ['reading 1 gave {}', { reads: [{ id: '1', expected: bodyOf('1', REX), outcome: answered(200, '{}') }] }, {}],
    [
      'Rex was begun after Tom was acknowledged and stands before it in the log',
      { adds: [attempt(TOM, answered(201, bodyOf('2', TOM))), attempt(REX, answered(201, bodyOf('1', REX)), 5)], reads: [] },
      {},
    ],
    ['events verify: projection pets', {}, { problems: ['projection pets'] }],
  ])('finds that %s', (sentence, history, state) => {
    expect(check(history, state).join('\n')).toContain(sentence);
  });
});
