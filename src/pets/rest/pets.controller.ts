import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CachedWhileUnchanged, readQuery } from '#libs/api-kit';
import { Clock } from '#libs/clock';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerMetadata, CurrentCaller } from '../../auth/index.js';
import { LimitsCreateBurst } from '../../rate-limiting/index.js';
import type { Pet } from '../domain/pet.js';
import { GetPet } from '../queries/get-pet.query.js';
import { ListPets } from '../queries/list-pets.query.js';
import { readAddPetRequest } from './add-pet.request.js';
import { DescribesCreatePet } from './create-pet.openapi.js';
import { AnnouncesDeprecation, refuseFromSunset, SUNSET_AT } from './get-pet-deprecation.js';
import { DescribesGetPet } from './get-pet.openapi.js';
import { readIdempotencyKey } from './idempotency-key.js';
import { DescribesListPets } from './list-pets.openapi.js';
import { nextPageLink, readListPetsRequest } from './list-pets.request.js';
import { readPetId } from './pet-id.parameter.js';

/** The animals over REST. */
@ApiTags('pets')
@ApiBearerAuth('bearerAuth')
@Controller('pets')
export class PetsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  @Get()
  @CachedWhileUnchanged({ readModel: 'pets' })
  @DescribesListPets()
  async listPets(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<readonly Pet[]> {
    const page = readListPetsRequest(request);
    const { pets, next } = await this.queries.execute(new ListPets(page));
    if (next !== undefined) reply.header('Link', nextPageLink(page, next));
    return pets;
  }

  @Post()
  @LimitsCreateBurst()
  @DescribesCreatePet()
  async createPet(
    @Req() request: FastifyRequest,
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pet> {
    readQuery(request, []);
    const key = readIdempotencyKey(request);
    const idempotency = key === undefined ? undefined : { scope: caller.actor, key };
    const { pet, replayed } = await this.commands.execute(readAddPetRequest(body, callerMetadata(request), idempotency));
    reply.header('Location', `/v1/pets/${pet.id}`);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return pet;
  }

  @Get(':petId')
  @CachedWhileUnchanged({ readModel: 'pets', until: SUNSET_AT })
  @AnnouncesDeprecation()
  @DescribesGetPet()
  async getPet(@Req() request: FastifyRequest, @Param('petId') petId: string): Promise<Pet> {
    refuseFromSunset(this.clock.now());
    readQuery(request, []);
    return this.queries.execute(new GetPet(readPetId(petId)));
  }
}
