import { moduleChanges } from './module.mjs';

const changesOf = (name: string, command?: string[], field?: string[], singular?: string) =>
  moduleChanges('.', { name, ...(command && { command }), ...(field && { field }), ...(singular && { singular }) });

describe('a generated module', () => {
  it.each<[string, string[] | undefined, string[] | undefined]>([
    ['shelters', undefined, undefined],
    ['adoption-events', ['open', 'close'], ['heldAt:time']],
    [
      'dog-walks',
      ['begin=begun', 'finish', 'move:startsAt,mood', 'note:note,fee'],
      [
        'petId:int64',
        'startsAt:time?',
        'urgent:boolean',
        'note:text?',
        'fee:int64?',
        'size:enum(small,very-large)',
        'mood:enum(good,bad)?',
      ],
    ],
  ])('has nothing of the template in it: %s', async (name, command, field) => {
    for (const { path, text, before = '' } of await changesOf(name, command, field)) {
      expect(path).not.toMatch(/blank|template/);
      expect(text).not.toMatch(
        /blank[-_ ]?(?:form|open|close|change|text|integer|time|flag|state|word|first|second)|\/\/ (?:each|if|end)\b/i,
      );
      expect(text.length).toBeGreaterThan(before.length);
    }
  });

  it.each(['', '1as', 'as-', '-as', 'a--bs', 'As', 'a_bs', 'äs', 'a/bs', 'as\n', `${'a'.repeat(40)}s`])(
    'is not called %j',
    async (name) => {
      await expect(changesOf(name)).rejects.toThrow('lower-case words joined by hyphens');
    },
  );

  it.each([
    ['walk', undefined, undefined, 'is no plural'],
    ['fish', undefined, undefined, '--singular fish-item'],
    ['news', undefined, undefined, '--singular news-item'],
    ['pets', undefined, undefined, 'taken by src/pets'],
    ['requests', undefined, undefined, 'taken by packages/client/src/requests.ts'],
    ['deliveries', undefined, undefined, 'the documents have "Deliveries"'],
    ['classes', undefined, undefined, 'means something else in code'],
    ['walks', ['begin:name', 'end'], undefined, 'takes all fields'],
    ['walks', ['begin', 'move:speed'], undefined, 'changes "speed", which is no field'],
    ['walks', ['begin', 'end', 'end'], undefined, '"end" is there twice'],
    ['walks', ['begin', 'get'], undefined, 'Each module has "get" already'],
    ['walks', ['begin', 'end'], ['status:text'], 'no field can be called "status"'],
    ['walks', ['begin=begun=out', 'finish', 'end==out'], undefined, '"end" would move the status to "out", where it begins'],
    ['walks', ['begin', 'move==moved:name'], undefined, 'leave out "=moved"'],
    ['walks', ['begin==out'], undefined, 'Nothing moves the status'],
    ['walks', undefined, ['id:int64'], 'A field cannot be called "id"'],
    ['walks', undefined, ['noTime:time'], 'A field cannot be called "noTime"'],
    ['walks', undefined, ['at:date'], 'is no field'],
    ['walks', undefined, ['name:text(0)'], 'text(80) for a length of 1 to 10000'],
    ['walks', undefined, ['name:text(10001)'], 'text(80) for a length of 1 to 10000'],
    ['walks', undefined, ['at:time(80)'], 'is no field'],
    ['walks', undefined, ['size:enum(small)'], 'has one word'],
    ['walks', undefined, ['size:text', 'size:time'], '"size" is there twice'],
  ])('is refused: %s %j %j', async (name, command, field, refusal) => {
    await expect(changesOf(name, command, field)).rejects.toThrow(refusal);
  });

  it.each([
    [
      { name: 'adoption-events', field: ['petId:int64'] },
      ['adoption-events', 'adoptionEvents', 'AdoptionEvents', 'adoption_events', 'ADOPTION_EVENT', 'adoption events', '--pet-id'],
    ],
    [{ name: 'foster-families' }, ["'foster-family-", ' a foster family']],
    [{ name: 'people' }, ["'person-", ' a person']],
    [{ name: `${'a'.repeat(39)}s` }, [`'${'a'.repeat(39)}-`]],
    [
      { command: ['begin=begun', 'book', 'check-in', 'close', 'deny', 'play', 'return', 'stop', 'visit'] },
      ["['begun', 'booked', 'checked-in', 'closed', 'denied', 'played', 'returned', 'stopped', 'visited']"],
    ],
    [{ field: ['heldAt:time', 'validUntil:time'] }, ['When it is held, as RFC 3339', 'The time valid until, as RFC 3339']],
    [{ field: ['name:text(4)'] }, ['@IsText(4)', '1 to 4 Unicode characters', "name: 'Firs'"]],
    [
      { state: 'walk-stage', command: ['begin=begun=out', 'finish', 'end==over'] },
      ["WALK_WALK_STAGES = ['out', 'finished', 'over']", "'walk-begun'", "state.walkStage === 'over'", 'walkStageIn', 'these walk stages'],
    ],
    [
      { command: ['begin=begun', 'finish', 'cancel==late'], internal: ['miss=missed=late', 'rename:name'] },
      [
        "WALK_STATUSES = ['begun', 'finished', 'late']",
        'class MissWalk ',
        'class RenameWalk ',
        "as: 'walk.missed'",
        "kind: 'miss', id: 1n",
      ],
    ],
  ])('has what is given: %j', async (options, texts) => {
    const written = (await moduleChanges('.', { name: 'walks', ...options })).map(({ text }) => text).join('');
    for (const text of texts) expect(written).toContain(text);
  });

  it('has no route, client method and command of the command line for an internal command', async () => {
    const changes = await moduleChanges('.', { name: 'walks', internal: ['expire'] });
    const naming = changes.filter(({ text }) => /\bexpire|ExpireWalk\b/.test(text)).map(({ path }) => path);
    expect(naming.join()).toMatch(/expire-walk\.command.*decider/);
    expect(naming.join()).not.toMatch(/cli|client|rest/);
  });

  it('takes the singular that is given', async () => {
    await expect(changesOf('fish', undefined, undefined, 'fish')).rejects.toThrow('another word');
    expect((await changesOf('fish', undefined, undefined, 'one-fish')).map(({ path }) => path)).toContain('src/fish/domain/one-fish.ts');
  });
});
