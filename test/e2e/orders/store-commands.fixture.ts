import fc, { type AsyncCommand } from 'fast-check';
import type { Answer } from '../api-client.fixture.js';
import type {
  AdoptionModel,
  Caller,
  ExpectedAnswer,
  ModelOrder,
  ModelPet,
  Move,
  OrderStatus,
  PetStatus,
  Precondition,
} from './adoption-model.fixture.js';
import type { StoreUnderTest } from './store-under-test.fixture.js';

type StoreCommand = AsyncCommand<AdoptionModel, StoreUnderTest>;
type Run = (model: AdoptionModel, store: StoreUnderTest) => Promise<void>;

const PETS = '/v1/pets';
const ORDERS = '/v1/store/orders';

const caller = fc.constantFrom<Caller>('shop 1', 'shop 2', 'staff');
const petStatus = fc.constantFrom<PetStatus>('available', 'pending', 'sold');
const orderStatus = fc.constantFrom<OrderStatus>('placed', 'approved', 'delivered', 'cancelled', 'expired');
/** Which animal, the first one being 0. */
const pet = fc.constantFrom(0, 0, 1, 2);
/** Which order, the newest one being -1. */
const order = fc.constantFrom(-1, -1, -2, -3);
const perhaps = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(value, { nil: undefined, freq: 2 });

const adding = fc
  .record({ status: fc.constantFrom<PetStatus | undefined>('available', 'available', 'pending', 'sold', undefined) })
  .map(({ status }) =>
    command(`staff adds an animal ${shown({ status })}`, async (model, store) => {
      const body = { name: 'Rex', categoryId: 7, ...(status && { status }) };
      expectAnswer(await store.send({ caller: 'staff', method: 'POST', target: PETS, body }), model.add('Rex', status));
    }),
  );

const placing = fc
  .record({ caller, pet, key: perhaps(fc.constantFrom('a', 'b')), note: perhaps(fc.constant('On Saturday.')) })
  .map(({ caller: by, pet: index, key, note }) =>
    ofPet(`${by} orders animal ${index} ${shown({ key, note })}`, index, async (model, store, wanted) => {
      const answer = await placeOrder(store, by, wanted, { key, note });
      expectAnswer(answer, model.place(by, wanted, { key, note }));
      const newest = model.orders.at(-1);
      if (newest?.firstTag === '') newest.firstTag = String(answer.headers.etag);
      if (answer.status === 201 && newest && answer.headers['idempotency-replayed'] === undefined) {
        await expectAsRead(store, newest, answer);
      }
    }),
  );

/** One of the callers gets the animal if it can be ordered; the others are told that they do not. */
const rushing = pet.map((index) =>
  ofPet(`all order animal ${index} at once`, index, async (model, store, wanted) => {
    const callers = (['shop 1', 'shop 2', 'staff'] as const).flatMap((each) => [each, each]);
    const answers = await Promise.all(callers.map((by) => placeOrder(store, by, wanted)));
    const won = answers.findIndex(({ status }) => status === 201);
    const [winner = 'staff', answer] = [callers[won], answers.at(won)];
    if (answer) expectAnswer(answer, model.place(winner, wanted, { key: undefined, note: undefined }));
    if (won >= 0) for (const newest of model.orders.slice(-1)) newest.firstTag = String(answer?.headers.etag);
    const others = answers.filter((other) => other !== answer).map(({ status }) => status);
    expect(others).toEqual(others.map(() => (wanted.withdrawn ? 404 : 409)));
  }),
);

/** What stands in If-Match, by the tag of the order now. */
const CONDITIONS: Readonly<Record<Exclude<Precondition, 'none' | 'as placed'>, readonly ((tag: string) => string)[]>> = {
  met: [(tag) => tag, (tag) => `"x", ${tag} ,"y"`, () => '*'],
  unmet: [(tag) => `W/${tag}`, () => '"x"', () => ''],
  malformed: [(tag) => tag.slice(1, -1), (tag) => `*, ${tag}`],
};

const moving = (move: fc.Arbitrary<Move>, mover: fc.Arbitrary<Caller>): fc.Arbitrary<StoreCommand> =>
  fc
    .record({
      caller: mover,
      move,
      order,
      precondition: fc.constantFrom<Precondition>('none', 'none', 'none', 'met', 'as placed', 'unmet', 'malformed'),
      form: fc.nat(2),
    })
    .map(({ caller: by, move: to, order: index, precondition, form }) =>
      ofOrder(`${by} wants to ${to} order ${index}, precondition ${precondition} ${form}`, index, async (model, store, moved) => {
        const tag = String((await store.send({ caller: 'staff', target: `${ORDERS}/${moved.id}` })).headers.etag);
        const forms = precondition === 'none' || precondition === 'as placed' ? [() => moved.firstTag] : CONDITIONS[precondition];
        const headers = precondition === 'none' ? {} : { 'if-match': forms[form % forms.length]?.(tag) ?? '' };
        const answer = await store.send({ caller: by, method: 'POST', target: `${ORDERS}/${moved.id}/${to}`, headers });
        expectAnswer(answer, model.move(by, to, moved, precondition));
        if (answer.status === 200) await expectAsRead(store, moved, answer);
        if (answer.status === 412) expect(answer.headers.etag).toBe(tag);
      }),
    );

const changing = fc
  .record({
    caller: fc.constantFrom<Caller>('staff', 'staff', 'shop 1'),
    pet,
    name: perhaps(fc.constantFrom('Rex', 'Max')),
    status: perhaps(petStatus),
  })
  .map(({ caller: by, pet: index, name, status }) =>
    ofPet(`${by} changes animal ${index} ${shown({ name, status })}`, index, async (model, store, changed) => {
      const changes = { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
      const answer = await store.send({ caller: by, method: 'PATCH', target: `${PETS}/${changed.id}`, body: changes });
      expectAnswer(answer, model.change(by, changed, changes));
    }),
  );

const withdrawing = fc.record({ caller: fc.constantFrom<Caller>('staff', 'shop 1'), pet }).map(({ caller: by, pet: index }) =>
  ofPet(`${by} withdraws animal ${index}`, index, async (model, store, withdrawn) => {
    const answer = await store.send({ caller: by, method: 'DELETE', target: `${PETS}/${withdrawn.id}?reason=gone` });
    expectAnswer(answer, model.withdraw(by, withdrawn));
  }),
);

const reading = fc
  .record({ caller, order, pet, status: perhaps(orderStatus) })
  .map(({ caller: by, order: orderIndex, pet: index, status }) =>
    ofPet(
      `${by} reads animal ${index}, order ${orderIndex} and the animal's orders ${shown({ status })}`,
      index,
      async (model, store, read) => {
        expectAnswer(await store.send({ caller: 'staff', target: `${PETS}/${read.id}` }), model.getPet(read));
        const query = `?petId=${read.id}${status === undefined ? '' : `&status=${status}`}`;
        expectAnswer(await store.send({ caller: by, target: `${ORDERS}${query}` }), model.list(by, { pet: read, status }));
        const found = model.orders.at(orderIndex);
        if (found) expectAnswer(await store.send({ caller: by, target: `${ORDERS}/${found.id}` }), model.getOrder(by, found));
      },
    ),
  );

const waiting = fc.integer({ min: 1, max: 2_000 }).map((milliseconds) =>
  command(`${milliseconds} ms pass`, async (model, store) => {
    pass(model, store, milliseconds);
  }),
);

const reachingExpiry = fc.record({ order, beyond: fc.constantFrom(-1, 0, 1) }).map(({ order: index, beyond }) => {
  const left = ({ now }: AdoptionModel, { expiresAt }: ModelOrder) => expiresAt + beyond - now;
  return ofOrder(`it is ${beyond} ms after the time of order ${index}`, index, async (model, store, reached) => {
    pass(model, store, Math.max(0, left(model, reached)));
  });
});

const firing = fc.constant(null).map(() =>
  command('timeouts fire', async (model, store) => {
    await store.fireTimeouts();
    model.expire();
  }),
);

const restarting = fc.integer({ min: 0, max: 4_000 }).map((milliseconds) =>
  command(`the service is stopped for ${milliseconds} ms`, async (model, store) => {
    pass(model, store, milliseconds);
    await store.restart();
  }),
);

const staff = fc.constant<Caller>('staff');
const requests = [
  ...[placing, placing, placing, placing, rushing, adding, changing, withdrawing, reading],
  ...[
    moving(fc.constant('approve'), staff),
    moving(fc.constant('approve'), staff),
    moving(fc.constant('deliver'), staff),
    moving(fc.constant('deliver'), staff),
  ],
  ...[moving(fc.constant('cancel'), caller), moving(fc.constantFrom('approve', 'deliver', 'cancel'), caller)],
];

/** What callers do and what time does. */
export const storeCommands: fc.Arbitrary<StoreCommand>[] = [...requests, waiting, reachingExpiry, reachingExpiry, firing];

/** The same in a service that stops and starts now and then. */
export const commandsAcrossRestarts: fc.Arbitrary<StoreCommand>[] = [...storeCommands, restarting];

function command(text: string, run: Run, check: (model: AdoptionModel) => boolean = () => true): StoreCommand {
  return { check: (model) => check(model as AdoptionModel), run, toString: () => text.trim() };
}

type RunOn<Subject> = (model: AdoptionModel, store: StoreUnderTest, subject: Subject) => Promise<void>;

/** Does nothing where there is no such animal. */
function ofPet(text: string, index: number, run: RunOn<ModelPet>): StoreCommand {
  return ofSubject(text, ({ pets }) => pets.at(index), run);
}

/** Does nothing where there is no such order. */
function ofOrder(text: string, index: number, run: RunOn<ModelOrder>): StoreCommand {
  return ofSubject(text, ({ orders }) => orders.at(index), run);
}

function ofSubject<Subject>(text: string, toSubject: (model: AdoptionModel) => Subject | undefined, run: RunOn<Subject>): StoreCommand {
  return command(
    text,
    async (model, store) => {
      const subject = toSubject(model);
      if (subject !== undefined) await run(model, store, subject);
    },
    (model) => toSubject(model) !== undefined,
  );
}

function pass(model: AdoptionModel, store: StoreUnderTest, milliseconds: number): void {
  model.now += milliseconds;
  store.advance(milliseconds);
}

function placeOrder(
  store: StoreUnderTest,
  by: Caller,
  { id }: ModelPet,
  { key, note }: { readonly key?: string | undefined; readonly note?: string | undefined } = {},
): Promise<Answer> {
  const body = { petId: id, ...(note !== undefined && { note }) };
  return store.send({ caller: by, method: 'POST', target: ORDERS, body, headers: key === undefined ? {} : { 'idempotency-key': key } });
}

/** An answer with an order is the order as GET gives it from then on, to the byte. */
async function expectAsRead(store: StoreUnderTest, { id }: ModelOrder, { text, headers }: Answer): Promise<void> {
  const read = await store.send({ caller: 'staff', target: `${ORDERS}/${id}` });
  expect([text, headers.etag]).toEqual([read.text, read.headers.etag]);
}

function expectAnswer({ status, text, headers }: Answer, expected: ExpectedAnswer): void {
  const { location, 'idempotency-replayed': replayed, 'x-cancelled-order': cancelledOrder } = headers;
  expect({
    status,
    ...(text !== '' && { body: JSON.parse(text) as unknown }),
    ...(location !== undefined && { location }),
    ...(replayed !== undefined && { replayed }),
    ...(cancelledOrder !== undefined && { cancelledOrder }),
  }).toEqual(expected);
}

/** What is not undefined. */
function shown(values: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(values);
  return text === '{}' ? '' : text;
}
