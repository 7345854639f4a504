import { createClient } from '../../client/document.fixture.js';
import { type CommandLine, openCommandLine } from '../../../test/e2e/command-line.fixture.js';
import { type GraphqlService, startGraphqlService } from '../../../test/e2e/graphql.fixture.js';
import { repeatWithoutReads } from '../../../test/e2e/repeated-request.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';

const PATH = '/v1/blank-forms';
const FIRST = {
  // each field
  blankText: 'First',
  blankInteger: 1,
  blankTime: '2026-06-01T20:00:00.000Z',
  blankFlag: true,
  blankWord: 'blank-first',
} as const;
const SECOND = {
  // each field
  blankText: 'Second',
  blankInteger: 2,
  blankTime: '2026-06-01T21:00:00.000Z',
  blankFlag: false,
  blankWord: 'blank-second',
} as const;
const SHOWN = {
  ...FIRST,
  // if state
  blankState: 'blank-opened-state',
};
// each route
const BLANK_CHANGE = {
  // each field
  blankText: SECOND.blankText,
  blankInteger: SECOND.blankInteger,
  blankTime: SECOND.blankTime,
  blankFlag: SECOND.blankFlag,
  blankWord: SECOND.blankWord,
};
// end

describe('the blank forms of a service', () => {
  let service: GraphqlService;
  let key: string;
  beforeAll(async () => {
    service = await startGraphqlService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['blank-forms', 'events'] })).token;
    // if animals
    for (const name of ['Rex', 'Ana', 'Tom']) await service.client.post('/v1/pets', { name, categoryId: 7 });
  });
  afterAll(() => service.close());

  const send = (body: object = FIRST, headers = {}) => service.client.post(PATH, body, { key, headers });
  const get = (target: string) => service.client.get(target, { key });
  const begin = async () => (await send()).json<{ id: number }>().id;

  it('are blank opened with a location', async () => {
    const answer = await send();
    const { id } = answer.json<{ id: number }>();
    const text = JSON.stringify({ id, ...SHOWN });
    expect(answer).toMatchObject({ status: 201, text, headers: { location: `${PATH}/${id}` } });
    expect((await get(`${PATH}/${id}`)).text).toBe(text);
  });

  it('are blank opened once for one idempotency key', async () => {
    const { first, again } = await repeatWithoutReads(service, () => send(FIRST, { 'idempotency-key': 'once' }));
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    expect((await send(SECOND, { 'idempotency-key': 'once' })).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
  });

  it('are narrowed by ids, turned round and counted', async () => {
    const [one, other] = [await begin(), await begin()];
    const answer = await get(`${PATH}?ids=${one},${other},999&order=desc&limit=1&total=true`);
    expect(answer.json()).toMatchObject([{ id: other }]);
    expect(answer.headers['x-total-count']).toBe('2');
    const { data } = await service.ask(
      `{ blankForms(filter: { ids: [${one}, ${other}] }, orderBy: ID_DESC, first: 1) { nodes { id } totalCount } }`,
    );
    expect(data).toEqual({ blankForms: { nodes: [{ id: String(other) }], totalCount: 2 } });
  });

  // if filters
  it.each([
    // each filter
    ['blankInteger', '1', '2', 'blankIntegerIn: [1]'],
    ['blankTimeSince', '2026-06-01T20:00:00.000Z', '2026-06-01T21:00:00.000Z', 'blankTimeSince: "2026-06-01T20:00:00.000Z"'],
    ['blankTimeBefore', '2026-06-01T21:00:00.000Z', '2026-06-01T20:00:00.000Z', 'blankTimeBefore: "2026-06-01T21:00:00.000Z"'],
    ['blankWord', 'blank-first', 'blank-second', 'blankWordIn: [BLANK_FIRST]'],
    // if state
    ['blankState', 'blank-opened-state', 'blank-closed-state', 'blankStateIn: [BLANK_OPENED_STATE]'],
  ])('are narrowed by %s', async (parameter, matching, other, filter) => {
    const id = await begin();
    const listed = async (value: string) => (await get(`${PATH}?ids=${id}&${parameter}=${value}`)).json();
    expect([await listed(matching), await listed(other)]).toMatchObject([[{ id }], []]);
    const { data } = await service.ask(`{ blankForms(filter: { ids: [${id}], ${filter} }) { nodes { id } } }`);
    expect(data).toEqual({ blankForms: { nodes: [{ id: String(id) }] } });
  });

  // each route
  it('blank close one, and find it so the second time', async () => {
    const target = `${PATH}/${await begin()}`;
    const repeated = () => service.client.post(`${target}/blank-close`, undefined, { key });
    const first = await repeated();
    expect(first.status).toBe(200);
    expect(first.json()).toMatchObject({ blankState: 'blank-closed-state' });
    expect((await repeated()).text).toBe(first.text);
    expect((await get(target)).text).toBe(first.text);
    const unknown = await service.client.post(`${PATH}/999/blank-close`, undefined, { key });
    expect(unknown.json()).toMatchObject({ code: 'not_found', status: 404, message: 'There is no blank form with the id 999.' });
  });

  it('blank change one, and find it so the second time', async () => {
    const target = `${PATH}/${await begin()}`;
    const repeated = () => service.client.post(`${target}/blank-change`, BLANK_CHANGE, { key });
    const first = await repeated();
    expect(first.status).toBe(200);
    expect(first.json()).toMatchObject(BLANK_CHANGE);
    expect((await repeated()).text).toBe(first.text);
    expect((await get(target)).text).toBe(first.text);
    const unknown = await service.client.post(`${PATH}/999/blank-change`, BLANK_CHANGE, { key });
    expect(unknown.json()).toMatchObject({ code: 'not_found', status: 404, message: 'There is no blank form with the id 999.' });
  });

  // end
  it('are published to other systems', async () => {
    const id = await begin();
    const [event] = (await get(`/v1/events?subject=blank-forms/${id}`)).json<{ type: string; data: object }[]>();
    expect(event).toMatchObject({ type: 'blank-form.blank_opened', data: (await get(`${PATH}/${id}`)).json() });
  });

  it('are read over GraphQL', async () => {
    const id = await begin();
    const { data } = await service.ask(
      `{ blankForm(id: ${id}) { id ${Object.keys(SHOWN).join(' ')} } blankForms(first: 1) { nodes { id } pageInfo { hasNextPage } } }`,
    );
    expect(data).toEqual({
      blankForm: {
        id: String(id),
        ...SHOWN,
        // each field
        blankInteger: String(FIRST.blankInteger),
        blankWord: 'BLANK_FIRST',
        // if state
        blankState: 'BLANK_OPENED_STATE',
      },
      blankForms: { nodes: [{ id: '1' }], pageInfo: { hasNextPage: true } },
    });
    expect((await service.ask('{ blankForm(id: 999) { id } }')).data).toEqual({ blankForm: null });
  });

  it('are used by the client', async () => {
    const { blankForms } = createClient({ baseUrl: service.origin, key });
    const first = {
      ...FIRST,
      // each field
      blankInteger: 1n,
    };
    const blankOpenOne = () => blankForms.blankOpen(first);
    // each route
    await blankForms.blankClose((await blankOpenOne()).id);

    await blankForms.blankChange((await blankOpenOne()).id, {
      ...BLANK_CHANGE,
      // each field
      blankInteger: 2n,
    });
    // end
    const { id } = await blankOpenOne();
    expect(await blankForms.list({ order: 'desc' }).toArray({ max: 1 })).toEqual([await blankForms.get(id)]);
    expect(await blankForms.count({ ids: [id, 999n] })).toBe(1);
  });
});

describe('the blank forms on the command line', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
    // if animals
    await commandLine.addAnimals(3);
  });
  afterAll(() => commandLine.remove());

  const run = (...words: string[]) => commandLine.run('blank-forms', ...words);
  /** The command line goes by the clock of the machine. */
  const later = (text: string) => text.replaceAll('2026', '2099');
  const optionOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const typed = (values: object) => Object.entries(values).flatMap(([name, value]) => [optionOf(name), later(String(value))]);
  const begin = () => run('blank-open', ...typed(FIRST));

  it('are blank opened', async () => {
    const { code, stdout, stderr } = await begin();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(JSON.parse(later(JSON.stringify(FIRST))));
    expect((await run('list', '--limit', '1')).stdout).toBe(`[${stdout.trim()}]\n`);
  });

  // if filters
  it.each([
    // each filter
    ['--blank-integer', '1', '2'],
    ['--blank-time-since', '2026-06-01T20:00:00.000Z', '2100-06-01T20:00:00.000Z'],
    ['--blank-time-before', '2100-06-01T20:00:00.000Z', '2026-06-01T20:00:00.000Z'],
    ['--blank-word', 'blank-first', 'blank-second'],
    // if state
    ['--blank-state', 'blank-opened-state', 'blank-closed-state'],
  ])('are narrowed by %s', async (option, matching, other) => {
    await begin();
    expect((await run('list', option, matching)).stdout).toContain('"id":');
    expect((await run('list', option, other)).stdout).toBe('[]\n');
  });

  // end

  it.each<[command: string, options: string[]]>([
    // each route
    ['blank-close', []],
    ['blank-change', typed(BLANK_CHANGE)],
  ])('are changed once by %s', async (command, options) => {
    const { id } = JSON.parse((await begin()).stdout) as { id: number };
    const change = () => run(command, String(id), ...options);
    expect((await change()).stdout).toContain('"changed":true');
    const again = { stdout: expect.stringContaining('"changed":false'), stderr: 'Nothing was changed: it is so already.\n' };
    expect(await change()).toMatchObject({ code: 0, ...again });
  });

  it('are the same after a replay of the log', async () => {
    expect((await commandLine.run('projections', 'rebuild', 'blank-forms')).code).toBe(0);
    expect(JSON.parse((await commandLine.run('events', 'verify')).stdout)).toMatchObject({ problems: [] });
  });
});
