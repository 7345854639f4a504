import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  CacheByProjection,
  Deprecated,
  IfMatch,
  addTotalCount,
  filteredRangeOf,
  LARGEST_LIMIT,
  linkNextPage,
  Operation,
  ReadBody,
  ReadId,
  ReadQuery,
  setEntityTag,
  totalCountHeader,
  type Precondition,
} from '#libs/http';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import { CallerMetadata, IdempotencyKey, RequiresScope } from '../../auth/index.js';
import { LimitsCreateBurst } from '../../rate-limiting/index.js';
import { AddPet, type PetValues } from '../commands/add-pet.command.js';
import { ChangePet, WithdrawPet } from '../commands/change-pet.command.js';
import { PetNotFoundError } from '../domain/pet.errors.js';
import { PET_MEMBERS, toPet } from '../domain/pet-fields.js';
import type { Pet } from '../domain/pet.js';
import { CountPets, GetPet, ListPets, petFilters } from '../queries/pets.query.js';
import { ListPetsRequest, newPetBody, petChangesBody, petExample, petSchema, petsSchema, WithdrawPetRequest } from './pet.request.js';

const PET_ID = 'The id of the animal.';
const CANCELLED_ORDER = 'X-Cancelled-Order';

/** The animals over REST. */
@ApiTags('pets')
@RequiresScope('pets')
@Controller('pets')
export class PetsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @CacheByProjection({ readModel: 'pets' })
  @Operation({
    clientSample: 'for await (const animal of client.pets.list()) console.log(animal);',
    stability: 'stable',
    summary: 'List animals',
    description:
      'One page of the animals, ascending by id, with a filter by time by that time, unless `order` says otherwise. Following the `next` ' +
      'links returns every animal exactly once, even while others are added. With `ids`: the animals among them that exist, in one response ' +
      'without a next link. If it is one animal, the ETag is that of the animal, for `If-Match` of a change.',
    answer: {
      description: 'The page.',
      schema: petsSchema,
      examples: { page: { value: [petExample] }, empty: { value: [] } },
      headers: totalCountHeader,
    },
  })
  async listPets(@ReadQuery(ListPetsRequest) request: ListPetsRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Pet[]> {
    const range = filteredRangeOf(petFilters, request);
    const wanted = request.ids ? { ...range, filters: { ...range.filters, ids: request.ids }, limit: LARGEST_LIMIT } : range;
    const { items, next } = await this.queries.execute(new ListPets({ ...wanted, select: PET_MEMBERS }));
    await addTotalCount(reply, request, () => this.queries.execute(new CountPets(wanted)));
    linkNextPage(reply, request, next);
    const pets = items.map(toPet);
    const [only, another] = pets;
    if (request.ids && only && !another) setEntityTag(reply, only);
    return pets;
  }

  @Post()
  @LimitsCreateBurst()
  @Operation({
    clientSample: 'console.log(await client.pets.add({ name: "Rex", categoryId: 7n, status: "available" }));',
    stability: 'stable',
    summary: 'Add an animal',
    description: 'Adds an animal and gives it an id. With an Idempotency-Key the request can be repeated without adding a second one.',
    answer: { description: 'The animal that was added.', schema: petSchema, examples: { pet: { value: petExample } } },
  })
  async createPet(
    @ReadBody(newPetBody) values: PetValues,
    @CallerMetadata() metadata: EventMetadata,
    // Stored keys of this operation have no operation in their name.
    @IdempotencyKey({ scope: 'caller' }) idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pet> {
    const { pet, replayed } = await this.commands.execute(new AddPet(values, metadata, idempotency));
    reply.header('Location', `/v1/pets?ids=${pet.id}`);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return pet;
  }

  @Get(':petId')
  @CacheByProjection({ readModel: 'pets' })
  @Deprecated({
    since: new Date('2025-12-05T00:00:00Z'),
    sunset: new Date('2030-12-05T00:00:00Z'),
    successor: '/v1/pets?ids=:petId',
    instead: 'use GET /v1/pets with ids or the status filter',
  })
  @Operation({
    clientSample: 'console.log((await client.request("GET", "/v1/pets/1")).body);',
    stability: 'stable',
    summary: 'Get an animal',
    description: 'Deprecated: it answers 410 from 5 December 2030, 00:00 UTC. Use `listPets` with `ids` or the status filter.',
    answer: { description: 'The animal.', schema: petSchema, examples: { pet: { value: petExample } } },
    refuses: [404],
  })
  async getPet(@ReadId('petId', PET_ID) id: bigint): Promise<Pet> {
    const pet = await this.queries.execute(new GetPet(id));
    if (!pet) throw new PetNotFoundError(id);
    return toPet(pet);
  }

  @Patch(':petId')
  @RequiresScope('pets:write')
  @Operation({
    clientSample: 'console.log(await client.pets.update(1n, { status: "sold" }));',
    summary: 'Change an animal',
    description:
      'Corrects what was recorded wrongly of an animal and sets its status; omitted members keep their values. ' +
      'The status of an animal with an open order follows from that order.',
    answer: { tagged: true, description: 'The animal as it is now.', schema: petSchema, examples: { pet: { value: petExample } } },
    refuses: [404, 409],
  })
  async updatePet(
    @ReadId('petId', PET_ID) id: bigint,
    @ReadBody(petChangesBody) values: PetValues,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<Pet> {
    const { pet } = await this.commands.execute(new ChangePet({ ...values, id }, metadata, precondition));
    return pet;
  }

  @Delete(':petId')
  @RequiresScope('pets:write')
  @Operation({
    clientSample: 'console.log(await client.pets.withdraw(1n, "moved to another shelter"));',
    summary: 'Withdraw an animal',
    description: 'Takes an animal out of every read and cancels its open order. Its history is kept and its id is never given again.',
    answer: {
      status: 204,
      description: 'The animal is withdrawn.',
      headers: { [CANCELLED_ORDER]: 'The id of the order of the animal, if this request cancelled it.' },
    },
    refuses: [404, 409],
  })
  async deletePet(
    @ReadId('petId', PET_ID) id: bigint,
    @ReadQuery(WithdrawPetRequest) { reason }: WithdrawPetRequest,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { cancelledOrder } = await this.commands.execute(new WithdrawPet({ id, reason }, metadata, precondition));
    if (cancelledOrder !== undefined) reply.header(CANCELLED_ORDER, cancelledOrder.toString());
  }
}
