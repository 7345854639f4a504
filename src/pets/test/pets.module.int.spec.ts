import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { composeModules } from '#libs/http';
import { EventStore, ProjectionRebuilder } from '#libs/event-sourcing';
import { commandOutput, openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { registerPetsCommands } from '../cli/pets.cli.js';
import { AddPet, type NewPetValues } from '../commands/add-pet.command.js';
import { ChangePet, WithdrawPet } from '../commands/change-pet.command.js';
import type { PetDetails } from '../domain/pet.js';
import { pets } from '../index.js';
import { PetsModule } from '../pets.module.js';
import { GetPet, ListPets } from '../queries/pets.query.js';

const METADATA = { actor: 'api-key-1' };
const EVERY_MEMBER: Required<PetDetails> = { name: 'Rex', categoryId: 7n, status: 'available' };
/** Another value of each member. */
const CHANGES: { readonly [Member in keyof Required<PetDetails>]: Pick<Required<PetDetails>, Member> } = {
  name: { name: 'Max' },
  categoryId: { categoryId: 8n },
  status: { status: 'sold' },
};

describe('the module of the animals', () => {
  let tested: TestedModule;
  let application: TestedModule['application'];
  let commands: CommandBus;
  let queries: QueryBus;
  let eventStore: EventStore;

  beforeEach(async () => {
    tested = await openTestedModule([PetsModule], new SettableClock(), composeModules([pets]));
    application = tested.application;
    commands = application.get(CommandBus);
    queries = application.get(QueryBus);
    eventStore = application.get(EventStore);
  });

  afterEach(() => tested.close());

  describe('adding', () => {
    it('gives ids from 1 upwards and keeps the largest category', async () => {
      expect(await add({ categoryId: 9223372036854775807n })).toEqual({
        pet: { id: 1n, name: 'Rex', categoryId: 9223372036854775807n },
        replayed: false,
      });
      expect(await add({ status: 'sold' })).toMatchObject({ pet: { id: 2n, status: 'sold' } });
      expect(await queries.execute(new GetPet(1n))).toMatchObject({ id: 1n, name: 'Rex', categoryId: 9223372036854775807n });
    });

    it('repeats the first answer for the same idempotency key and values, also after the animal has changed', async () => {
      const first = await add({ status: 'available' }, 'k');
      await commands.execute(new ChangePet({ id: 1n, status: 'sold' }, METADATA));
      expect(await add({ status: 'available' }, 'k')).toEqual({ pet: first.pet, replayed: true });
      expect(await eventStore.lastPosition()).toBe(2n);
    });

    it.each(Object.entries(CHANGES))('refuses the same idempotency key with another %s', async (_, change) => {
      await add({}, 'k');
      await expect(add(change, 'k')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    });
  });

  describe('changing', () => {
    beforeEach(() => add({ status: 'available' }));

    it('shows in the reads what was set and corrected', async () => {
      await commands.execute(new ChangePet({ id: 1n, status: 'sold' }, METADATA));
      const corrected = await commands.execute(new ChangePet({ id: 1n, name: 'Max', categoryId: -1n }, METADATA));
      const pet = { id: 1n, name: 'Max', categoryId: -1n, status: 'sold' };
      expect(corrected).toEqual({ pet, changed: true });
      expect(await queries.execute(new GetPet(1n))).toMatchObject(pet);
    });

    it('writes no event when nothing changes', async () => {
      expect(await commands.execute(new ChangePet({ id: 1n, status: 'available' }, METADATA))).toMatchObject({ changed: false });
      expect(await eventStore.lastPosition()).toBe(1n);
    });

    it('takes a withdrawn animal out of the reads and never gives its id again', async () => {
      await commands.execute(new WithdrawPet({ id: 1n, reason: 'entered twice' }, METADATA));
      expect(await queries.execute(new GetPet(1n))).toBeUndefined();
      expect(await queries.execute(new ListPets({ limit: 10 }))).toEqual({ items: [], next: undefined });
      expect(await add()).toMatchObject({ pet: { id: 2n } });
    });

    it.each([
      ['an id that is none', new ChangePet({ id: 'x', status: 'sold' }, METADATA), 'id must be'],
      ['an unknown status', new ChangePet({ id: 1n, status: 'lost' }, METADATA), 'status must be one of'],
      ['a blank name', new ChangePet({ id: 1n, name: ' ' }, METADATA), 'name must be'],
      ['a category that is no int64', new ChangePet({ id: 1n, categoryId: '1.5' }, METADATA), 'categoryId must be'],
      ['a reason of 1,001 characters', new WithdrawPet({ id: 1n, reason: 'x'.repeat(1_001) }, METADATA), 'reason must be'],
    ])('refuses %s', async (_, command, message) => {
      await expect(commands.execute<ChangePet | WithdrawPet>(command)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(message),
      });
    });
  });

  describe('the read model', () => {
    it('is right after many events of one animal in one transaction', async () => {
      await add();
      await eventStore.append(
        [
          {
            stream: 'pet-1',
            expectedVersion: 1,
            events: [
              { type: 'pet-status-set', data: { status: 'pending' } },
              { type: 'pet-corrected', data: { name: 'Max' } },
            ],
          },
          {
            stream: { newIn: 'pet' },
            expectedVersion: 'noStream',
            events: [added('Ana'), { type: 'pet-status-set', data: { status: 'sold' } }],
          },
          {
            stream: { newIn: 'pet' },
            expectedVersion: 'noStream',
            events: [added('Eve'), { type: 'pet-withdrawn', data: { reason: 'error' } }],
          },
        ],
        { metadata: METADATA },
      );
      expect((await queries.execute(new ListPets({ limit: 10 }))).items).toMatchObject([
        { id: 1n, name: 'Max', categoryId: 7n, status: 'pending' },
        { id: 2n, name: 'Ana', categoryId: 7n, status: 'sold' },
      ]);
    });

    it.each(Object.entries(CHANGES))('shows a change of the %s alone', async (_, change) => {
      await add(EVERY_MEMBER);
      await commands.execute(new ChangePet({ id: 1n, ...change }, METADATA));
      const changed = { id: 1n, ...EVERY_MEMBER, ...change };
      expect((await queries.execute(new ListPets({ limit: 1 }))).items).toMatchObject([changed]);
      expect(await run('export', '--with-ids')).toEqual([changed]);
    });

    it('is the same when it is rebuilt from the log', async () => {
      await add({ status: 'available' });
      await add({ name: '🐈' });
      await commands.execute(new WithdrawPet({ id: 1n, reason: 'entered twice' }, METADATA));
      const before = await queries.execute(new ListPets({ limit: 10 }));
      await application.get(ProjectionRebuilder).rebuild('pets');
      expect(await queries.execute(new ListPets({ limit: 10 }))).toEqual(before);
    });
  });

  describe('a list', () => {
    beforeEach(async () => {
      for (const status of ['available', 'sold', undefined, 'available', 'available']) await add({ status });
    });

    it('is ascending by id and visits every animal once', async () => {
      expect(await idsOf({ limit: 2 })).toEqual({ ids: [1n, 2n], next: 2n });
      expect(await idsOf({ limit: 2, after: 2n })).toEqual({ ids: [3n, 4n], next: 4n });
      expect(await idsOf({ limit: 2, after: 4n })).toEqual({ ids: [5n], next: undefined });
    });

    it('tells of no further page when the last one is full', async () => {
      expect(await idsOf({ limit: 5 })).toMatchObject({ next: undefined });
    });

    it('holds only the status that is asked for', async () => {
      expect(await idsOf({ limit: 2, status: 'available' })).toEqual({ ids: [1n, 4n], next: 4n });
      expect(await idsOf({ limit: 2, status: 'available', after: 4n })).toEqual({ ids: [5n], next: undefined });
      expect(await idsOf({ limit: 2, status: 'pending' })).toEqual({ ids: [], next: undefined });
    });
  });

  describe('the command line', () => {
    it('prints the animal and whether it was changed', async () => {
      await add();
      expect(await run('set-status', '1', 'sold')).toEqual([{ id: 1n, name: 'Rex', categoryId: 7n, status: 'sold', changed: true }]);
      expect(await run('set-status', '1', 'sold')).toEqual([{ id: 1n, name: 'Rex', categoryId: 7n, status: 'sold', changed: false }]);
      expect(await run('correct', '1', '--category-id', '-5')).toEqual([
        { id: 1n, name: 'Rex', categoryId: -5n, status: 'sold', changed: true },
      ]);
      expect(await run('withdraw', '1', '--reason', 'entered twice')).toMatchObject([{ id: 1n, changed: true }]);
      await expect(run('withdraw', '1', '--reason', 'entered twice')).rejects.toMatchObject({ code: 'not_found' });
    });

    it.each([
      [['set-status', 'x', 'sold'], 'ID must be'],
      [['correct', '1', '--category-id', '1.5'], '--category-id must be an int64'],
      [['correct', '1', '--name', ''], 'name must be'],
    ])('refuses %j', async (words, message) => {
      await expect(run(...words)).rejects.toThrow(message);
    });
  });

  function add(values: Partial<NewPetValues> = {}, key?: string) {
    const idempotency = key === undefined ? undefined : { scope: 'api-key-1', key };
    return commands.execute(new AddPet({ name: 'Rex', categoryId: 7n, ...values }, METADATA, idempotency));
  }

  async function idsOf(range: ListPets['range']) {
    const { items, next } = await queries.execute(new ListPets(range));
    return { ids: items.map(({ id }) => id), next };
  }

  function run(...words: string[]): Promise<unknown[]> {
    return commandOutput(registerPetsCommands, application, ['pets', ...words]);
  }
});

function added(name: string) {
  return { type: 'pet-added', data: { name, categoryId: '7' } };
}
