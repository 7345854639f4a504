import { CommandBus } from '@nestjs/cqrs';
import { EventStore, TimeoutSchedule } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { linesOf, runHere } from '../../../test/e2e/command-line.fixture.js';
import { PlaceOrder } from '../commands/place-order.command.js';
import { systemActor } from '../../bootstrap/command-line/actor.js';
import { startStore, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';

const MINUTE = 60_000;
const ONE_LINE = /^[^\n]+\n$/;
const RESERVATION = 24 * 60 * MINUTE;

describe('orders on the command line beside a running service', () => {
  let store: Store;
  beforeEach(async () => (store = await startStore({ clock: new SettableClock(new Date()) })));
  afterEach(() => store.close());

  const run = (...words: string[]) => runHere(store.backend, words);
  const rest = async (id: number) => (await store.client.get(`/v1/store/orders/${id}`, { key: store.staff })).text;
  const listed = async (...options: string[]) => {
    const { code, stdout, stderr } = await run('orders', 'list', ...options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return (JSON.parse(stdout) as OrderBody[]).map(({ id }) => id);
  };

  /** Places an order that has this many milliseconds left, for the command line, whose clock is the machine's; the service's stays behind. */
  const orderEndingIn = async (milliseconds: number, petId: number) => {
    store.clock.set(new Date(Date.now() - RESERVATION + milliseconds));
    return store.place(petId);
  };

  const statusOf = async (petId: number) => (await store.client.get(`/v1/pets/${petId}`)).json()['status'];

  it('are shown as REST gives them, a note and all', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    const [first, second] = [await store.place(one, { note: 'On Saturday: "12 h"' }), await store.place(other)];
    for (const { id } of [first, second]) {
      expect(await run('orders', 'show', `${id}`)).toEqual({ code: 0, stdout: `${await rest(id)}\n`, stderr: '' });
    }
    const list = await store.client.get('/v1/store/orders', { key: store.staff });
    expect(await run('orders', 'list')).toEqual({ code: 0, stdout: `${list.text}\n`, stderr: '' });
    expect(await run('orders', 'list', '--json')).toEqual(await run('orders', 'list'));
  });

  it('are listed by status and animal', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    const { id: cancelled } = await store.place(one);
    await store.move(cancelled, 'cancel');
    const [{ id: placed }, { id: ofOther }] = [await store.place(one), await store.place(other)];
    await store.move(ofOther, 'approve');
    expect(await listed()).toEqual([cancelled, placed, ofOther]);
    expect(await listed('--status', 'cancelled')).toEqual([cancelled]);
    expect(await listed('--pet', `${one}`)).toEqual([cancelled, placed]);
    expect(await listed('--pet', `${one}`, '--status', 'placed')).toEqual([placed]);
    expect(await listed('--pet', '9223372036854775807')).toEqual([]);
  });

  it('are listed where they run out of time soon, or have and the log does not say so yet', async () => {
    const [overdue = 0, soon = 0, approved = 0, later = 0] = await store.addSeveral(4);
    const late = await orderEndingIn(-5 * MINUTE, overdue);
    const next = await orderEndingIn(30 * MINUTE, soon);
    const kept = await orderEndingIn(30 * MINUTE, approved);
    await store.move(kept.id, 'approve');
    await orderEndingIn(90 * MINUTE, later);
    expect(await listed('--expiring-within', '1h')).toEqual([late.id, next.id]);
    expect(await listed('--expiring-within', '1h', '--pet', `${soon}`)).toEqual([next.id]);
    expect(await listed('--expiring-within', '1h', '--status', 'approved')).toEqual([]);
    store.clock.set(new Date());
    await store.app.get(TimeoutSchedule).run();
    expect(await listed('--expiring-within', '1h')).toEqual([next.id]);
  });

  it('are all listed, however many', async () => {
    const commands = store.app.get(CommandBus);
    const many = 2_500;
    const pets = Array.from({ length: many }, (_, index) => ({ name: `animal ${index}`, categoryId: '1', status: 'available' }));
    await store.app.get(EventStore).append(
      pets.map((data) => ({ stream: { newIn: 'pet' }, expectedVersion: 'noStream', events: [{ type: 'pet-added', data }] })),
      { metadata: { actor: 'test' } },
    );
    const metadata = { actor: 'test' };
    await Promise.all(pets.map((_, index) => commands.execute(new PlaceOrder({ petId: BigInt(index + 1) }, 1n, metadata))));
    expect(await listed()).toEqual(Array.from({ length: many }, (_, index) => index + 1));
  });

  it('are approved, delivered and cancelled, once and for the service to see', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    const [first, second] = [await store.place(one), await store.place(other)];
    const move = async (name: string, { id }: OrderBody, ...options: string[]) => {
      const moved = await run('orders', name, `${id}`, ...options);
      expect(moved).toEqual({ code: 0, stdout: `${await rest(id)}\n`, stderr: '' });
      return JSON.parse(moved.stdout) as object;
    };
    expect(await move('approve', first)).toMatchObject({ status: 'approved', version: 2 });
    expect(await move('deliver', first)).toMatchObject({ status: 'delivered', version: 3 });
    expect(await move('cancel', second, '--reason', 'found elsewhere')).toMatchObject({ status: 'cancelled', version: 2 });
    expect([await statusOf(one), await statusOf(other)]).toEqual(['sold', 'available']);
    const [event] = linesOf((await run('events', 'list', '--stream', `order-${second.id}`, '--after', '1')).stdout).slice(-1);
    expect(JSON.parse(event ?? '')).toMatchObject({
      type: 'order-cancelled',
      data: { reason: 'found elsewhere' },
      metadata: { actor: systemActor() },
    });
  });

  it('report that nothing changed', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    const [{ id: delivered }, { id: cancelled }] = [await store.place(one), await store.place(other)];
    for (const [name, id, status] of [
      ['approve', delivered, 'approved'],
      ['deliver', delivered, 'delivered'],
      ['cancel', cancelled, 'cancelled'],
    ] as const) {
      expect((await run('orders', name, `${id}`)).stderr).toBe('');
      const stderr = `Nothing was changed: the order ${id} is ${status} already.\n`;
      expect(await run('orders', name, `${id}`, '--json')).toEqual({ code: 0, stdout: `${await rest(id)}\n`, stderr });
    }
  });

  it('refuse a forbidden transition', async () => {
    const [petId = 0, late = 0] = await store.addSeveral(2);
    const { id } = await store.place(petId);
    const overdue = await orderEndingIn(-MINUTE, late);
    const refusal = async (...words: string[]) => {
      const { code, stdout, stderr } = await run('orders', ...words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(ONE_LINE);
      return stderr;
    };
    expect(await refusal('deliver', `${id}`)).toMatch(
      /^Only an order that is approved can be delivered; the order \d+ is placed, .*approved/,
    );
    expect(await refusal('approve', `${overdue.id}`)).toMatch(
      /^Only an order that is placed can be approved; .* is expired, which is final/,
    );
    expect(await refusal('cancel', `${id}`, '--reason', ' ')).toContain('reason must be');
    expect(await refusal('approve', '999')).toMatch(/^There is no order with the id 999\./);
    expect(await refusal('show', '999')).toMatch(/^There is no order with the id 999\./);
    expect(JSON.parse(await rest(id))).toMatchObject({ status: 'placed', version: 1 });
  });

  it.each([
    [['orders', 'aprove', '1'], 'Did you mean approve?'],
    [['orders', 'show'], 'missing required argument'],
    [['orders', 'show', 'x'], 'ID must be an order\'s number in plain digits, such as 7, not "x"'],
    [['orders', 'approve', 'x'], "ID must be an order's number"],
    [['orders', 'show', '1', '2'], 'too many arguments'],
    [['orders', 'approve', '1', '--reason', 'why'], "unknown option '--reason'"],
    [['orders', 'list', '--status', 'lost'], 'placed, approved, delivered, cancelled, expired'],
    [['orders', 'list', '--pet', '9223372036854775808'], '--pet must be'],
    [['orders', 'list', '--expiring-within', '1'], '"1" is not a duration'],
    [['orders', 'list', 'all'], 'too many arguments'],
  ])('refuse %j', async (words, reason) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    expect(stderr).toContain(reason);
  });

  it('are cancelled with the withdrawal of their animal, which says so', async () => {
    const [petId = 0, free = 0] = await store.addSeveral(2);
    const { id } = await store.place(petId);
    const withdrawn = await run('pets', 'withdraw', `${petId}`, '--reason', 'ill');
    expect(withdrawn).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(withdrawn.stdout)).toMatchObject({ id: petId, changed: true, cancelledOrder: id });
    expect(JSON.parse(await rest(id))).toMatchObject({ status: 'cancelled' });
    expect((await run('events', 'list', '--stream', `order-${id}`)).stdout).toContain('"data":{"reason":"ill"}');
    expect((await run('pets', 'withdraw', `${free}`, '--reason', 'ill')).stdout).not.toContain('cancelledOrder');
  });

  it('are expired, not cancelled, by a withdrawal after their time', async () => {
    const petId = await store.addAvailable();
    const { id } = await orderEndingIn(-MINUTE, petId);
    expect((await run('pets', 'withdraw', `${petId}`, '--reason', 'ill')).stdout).not.toContain('cancelledOrder');
    expect(JSON.parse(await rest(id))).toMatchObject({ status: 'expired' });
  });

  it('keep the status of their animal from being set by hand, until their time is over', async () => {
    const [held = 0, late = 0] = await store.addSeveral(2);
    const { id } = await store.place(held);
    expect(await run('pets', 'set-status', `${held}`, 'sold')).toEqual({
      code: 1,
      stdout: '',
      stderr: `The animal ${held} is reserved by the order ${id}, from which its status follows; deliver or cancel that order.\n`,
    });
    expect((await run('pets', 'set-status', `${held}`, 'pending')).stdout).toContain('"changed":false');
    const corrected = await run('pets', 'correct', `${held}`, '--name', 'Mia', '--category-id', '-5');
    expect(corrected.stdout).toContain('"name":"Mia","categoryId":-5');
    const overdue = await orderEndingIn(-MINUTE, late);
    expect((await run('pets', 'set-status', `${late}`, 'sold')).stdout).toContain('"status":"sold","changed":true');
    expect(JSON.parse(await rest(overdue.id))).toMatchObject({ status: 'expired' });
    expect([await statusOf(held), await statusOf(late)]).toEqual(['pending', 'sold']);
  });

  it('are the same after a rebuild of what is read, and the log is right', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    for (const move of ['approve', 'deliver'] as const) await store.move((await store.place(move === 'approve' ? one : other)).id, move);
    const before = await run('orders', 'list');
    const rebuilt = await run('projections', 'rebuild', 'orders');
    expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ name: 'orders', generation: 2, upToDate: true });
    expect(await run('orders', 'list')).toEqual(before);
    expect(JSON.parse((await run('events', 'verify')).stdout)).toMatchObject({ problems: [] });
  });
});
