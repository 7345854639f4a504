import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { composeModules } from '#libs/http';
import { openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { AddPet } from '../commands/add-pet.command.js';
import { ChangePet, WithdrawPet } from '../commands/change-pet.command.js';
import { PetReservations, pets, PetsModule } from '../index.js';
import { GetPet } from '../queries/pets.query.js';

const metadata = { actor: 'test' };

describe('a module that takes part in changes of animals', () => {
  let tested: TestedModule;
  let id: bigint;
  const execute = (command: ChangePet | WithdrawPet) => tested.application.get(CommandBus).execute(command);
  beforeEach(async () => {
    tested = await openTestedModule([PetsModule], new SettableClock(), composeModules([pets]));
    ({ id } = (await tested.application.get(CommandBus).execute(new AddPet({ name: 'Rex', categoryId: 1n }, metadata))).pet);
  });
  afterEach(() => tested.close());

  it('refuses one, of which nothing is written', async () => {
    const refusal = new Error('a check-up is open');
    tested.application.get(PetReservations).participants.register({
      before: ({ kind }) => (kind === 'withdraw' ? Promise.reject(refusal) : Promise.resolve([])),
    });
    await expect(execute(new WithdrawPet({ id, reason: 'adopted' }, metadata))).rejects.toBe(refusal);
    await execute(new ChangePet({ id, name: 'Max' }, metadata));
    expect(await tested.application.get(QueryBus).execute(new GetPet(id))).toMatchObject({ name: 'Max' });
  });

  it('makes no change by saying that its own streams are as they were read', async () => {
    tested.application.get(PetReservations).participants.register({
      before: () => Promise.resolve([{ stream: 'check-ups-of-pet-1', expectedVersion: 0, events: [] }]),
    });
    const before = await tested.application.get(EventStore).readAll({ limit: 10 });
    expect(await execute(new ChangePet({ id, name: 'Rex' }, metadata))).toMatchObject({ changed: false });
    expect(await tested.application.get(EventStore).readAll({ limit: 10 })).toEqual(before);
    expect(await execute(new WithdrawPet({ id, reason: 'adopted' }, metadata))).toMatchObject({ changed: true, cancelledOrder: undefined });
  });
});
