import { checkHistory } from './check-history.js';
import { bodyOf, type AddAttempt, type Addition, type FinalState, type History } from './history.js';

const REX: Addition = { name: 'Rex', categoryId: '9223372036854775807', status: 'sold', idempotencyKey: 'key of Rex', valid: true };
const TOM: Addition = { name: 'Tom', categoryId: '1', idempotencyKey: 'key of Tom', valid: true };

const EVE: Addition = { name: 'Eve', categoryId: '1', valid: true };

const answered = (status: number, text: string, replayed = false) => ({ kind: 'answered', status, text, replayed }) as const;
const UNKNOWN = { kind: 'unknown', reason: 'ECONNRESET' } as const;

function attempt(addition: Addition, outcome: AddAttempt['outcome'], begun = 0): AddAttempt {
  return { addition, begun, ended: begun + 1, outcome };
}

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

describe('the checker of histories', () => {
  const check = ({ history = {}, state = {} }: { history?: Partial<History>; state?: Partial<FinalState> }) =>
    checkHistory({ ...RIGHT, ...history }, { ...added(REX, TOM), ...state }).join('\n');

  it('finds nothing in a history that is right', () => {
    expect(check({})).toBe('');
  });

  it('takes an animal whose outcome is unknown as it finds it', () => {
    const history = { adds: [attempt(REX, UNKNOWN)], reads: [] };
    expect(checkHistory(history, added())).toEqual([]);
    expect(checkHistory(history, added(REX))).toEqual([]);
  });

  it('takes only all or nothing of an animal whose outcome is unknown', () => {
    const history = { adds: [attempt(REX, UNKNOWN)], reads: [] };
    const { keys } = added(REX);
    expect(checkHistory(history, { ...added(REX), keys: [] })).toEqual(['Rex is in the log and its key is not stored']);
    expect(checkHistory(history, { ...added(), keys })).toEqual(['the key of Rex is stored and the animal is not in the log']);
    expect(checkHistory(history, { ...added(EVE, REX), keys }, new Set(['Eve']))).toEqual([
      'the key of Rex stands for events 1 to 1 and not for event 2',
    ]);
    expect(checkHistory(history, { ...added(REX), rows: [], listed: [] })).toEqual([expect.stringMatching(/^the log has .*Rex/)]);
    expect(checkHistory(history, added(REX, REX)).join()).toContain('Rex is in the log 2 times');
    expect(checkHistory({ adds: [attempt(EVE, UNKNOWN)], reads: [] }, added(EVE))).toEqual([]);
  });

  it('expects of the table and the list the status that an animal was given since, and of its acknowledgement the one that it had', () => {
    const { events, rows } = added(REX, TOM);
    const set = { position: 3n, stream: 'pet-1', version: 2n, type: 'pet-status-set', data: '{"status":"available"}' };
    const since = [bodyOf('1', { ...REX, status: 'available' }), ...rows.slice(1)];
    expect(check({ state: { events: [...events, set], rows: since, listed: since } })).toBe('');
    expect(check({ state: { events: [...events, set] } })).toContain('the table has {"id":1');
  });

  it('names an animal that the table lacks beside however many stale ones', () => {
    const stale = Array.from({ length: 50 }, (_, index) => ({ ...EVE, name: `Eve ${index}` }));
    const { rows } = added(...stale.map((addition) => ({ ...addition, status: 'sold' })), TOM);
    const state = { ...added(...stale, TOM), rows: rows.slice(0, -1), listed: rows.slice(0, -1) };
    const history = { adds: [...stale, TOM].map((addition) => attempt(addition, UNKNOWN)), reads: [] };
    const findings = checkHistory(history, state);
    expect(findings.filter((finding) => /^the table has .* and the log has not$/.test(finding))).toHaveLength(20);
    expect(findings.filter((finding) => /^the log has .* and the table has not$/.test(finding))).toHaveLength(20);
  });

  it.each<[string, { history?: Partial<History>; state?: Partial<FinalState> }, string]>([
    ['an acknowledged animal that is lost', { state: added(REX) }, 'Tom was acknowledged with id 2 and is not in the log'],
    ['an animal that is there twice', { state: added(REX, TOM, TOM) }, 'Tom is in the log 2 times: ids 2, 3'],
    ['an animal that nobody added', { state: added(REX, TOM, { ...TOM, name: 'Eve' }) }, 'Eve is in the log and nobody added it'],
    [
      'an animal that must not be taken and whose outcome is unknown',
      { history: { adds: [...RIGHT.adds, attempt({ ...EVE, valid: false }, UNKNOWN)] }, state: added(REX, TOM, EVE) },
      'Eve is in the log and must not be taken',
    ],
    ['an animal with other bytes', { state: added({ ...REX, categoryId: '9223372036854775806' }, TOM) }, 'Rex was acknowledged as'],
    ['an animal that was refused', { state: added(REX, TOM, { ...TOM, name: 'Tim' }) }, 'Tim was refused with 422 and is in the log'],
    [
      'a repetition that was acknowledged otherwise',
      { history: { adds: [...RIGHT.adds, attempt(TOM, answered(201, bodyOf('3', TOM), true), 9)] } },
      'and then as',
    ],
    [
      'a repetition that was taken for the first',
      { history: { adds: [...RIGHT.adds, attempt(TOM, answered(201, bodyOf('2', TOM)), 9)] } },
      'a second time as if it had been the first',
    ],
    [
      'an answer that may not be',
      { history: { adds: [...RIGHT.adds, attempt({ ...TOM, name: 'Eve' }, answered(500, '{}'), 9)] } },
      'adding Eve was answered with 500',
    ],
    [
      'a read that missed an acknowledged animal',
      { history: { reads: [{ id: '1', expected: bodyOf('1', REX), outcome: answered(404, '{}') }] } },
      'reading 1 after its acknowledgement was answered with 404',
    ],
    [
      'a read that shows other bytes',
      { history: { reads: [{ id: '1', expected: bodyOf('1', REX), outcome: answered(200, '{}') }] } },
      'reading 1 gave {}',
    ],
    [
      'an order against time',
      {
        history: { adds: [attempt(TOM, answered(201, bodyOf('2', TOM))), attempt(REX, answered(201, bodyOf('1', REX)), 5)], reads: [] },
      },
      'Rex was begun after Tom was acknowledged and stands before it in the log',
    ],
    ['positions that do not ascend', { state: { events: [...added(REX, TOM).events].reverse() } }, 'position 1 follows position 2'],
    ['an id that does not ascend', { state: { events: [...added(REX, TOM).events].reverse() } }, 'id 1 follows id 2'],
    [
      'a version that is missing',
      { state: { events: added(REX, TOM).events.map((event) => ({ ...event, version: 2n })) } },
      'stream pet-1 has version 2 in place of 1',
    ],
    [
      'a table that lacks an animal',
      { state: { rows: added(REX).rows } },
      'the log has {"id":2,"name":"Tom","categoryId":1} and the table has not',
    ],
    [
      'a list that lacks an animal',
      { state: { listed: added(REX).rows } },
      'the table has {"id":2,"name":"Tom","categoryId":1} and the list has not',
    ],
    ['a list that shows an animal twice', { state: { listed: [...added(REX, TOM).rows, bodyOf('1', REX)] } }, 'the list shows 3 animals'],
    ['a list in another order', { state: { listed: added(REX, TOM).rows.toReversed() } }, 'the list is not in the order of the table'],
    ['what events verify finds', { state: { problems: ['projection pets'] } }, 'events verify: projection pets'],
  ])('finds %s', (_, wrong, sentence) => {
    expect(check(wrong)).toContain(sentence);
  });
});
