import { join } from 'node:path';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Test, type TestingModule } from '@nestjs/testing';
import { parseDatabaseUrl } from '#libs/database';
import { composeModules } from '#libs/http';
import { libraryModules, SettableClock } from '#libs/testing';
import { makeTemporaryFolder } from '../../../test/cleanup/temporary-folder.js';
import { AddPet } from '../commands/add-pet.command.js';
import { pets, PetsModule } from '../index.js';
import { GetPet } from '../queries/pets.query.js';

describe('AddPet', () => {
  let application: TestingModule;
  beforeEach(async () => {
    const database = parseDatabaseUrl(`sqlite:${join(makeTemporaryFolder('add-pet'), 'test.sqlite')}`);
    const libraries = libraryModules(database, new SettableClock(), composeModules([pets]));
    application = await Test.createTestingModule({ imports: [...libraries, PetsModule] }).compile();
    await application.init();
  });
  afterEach(() => application.close());

  it('adds an animal that the next query finds', async () => {
    const command = new AddPet({ name: 'Rex', categoryId: 1n }, { actor: 'test' });
    const { pet } = await application.get(CommandBus).execute(command);
    expect(await application.get(QueryBus).execute(new GetPet(pet.id))).toMatchObject({ name: 'Rex' });
  });
});
