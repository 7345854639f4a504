import { Controller, Get, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import {
  addTotalCount,
  CacheByProjection,
  filteredRangeOf,
  linkNextPage,
  Operation,
  ReadBody,
  ReadId,
  ReadQuery,
  type Unchecked,
} from '#libs/http';
import { NotFoundError } from '#libs/observability';
import { CallerMetadata, IdempotencyKey, RequiresScope } from '../../../src/auth/index.js';
import { BlankOpenBlankForm } from '../commands/blank-open-blank-form.command.js';
import { BlankCloseBlankForm } from '../commands/blank-close-blank-form.command.js';
import { BlankChangeBlankForm } from '../commands/blank-change-blank-form.command.js';
import type { BlankChangeValues, BlankForm, NewBlankForm } from '../domain/blank-form.js';
import { blankFormFilters, CountBlankForms, GetBlankForm, ListBlankForms } from '../queries/blank-forms.query.js';
import {
  blankChangeBlankFormBody,
  blankFormAnswer,
  blankFormsAnswer,
  ListBlankFormsRequest,
  newBlankFormBody,
} from './blank-form.request.js';

/** The blank forms over REST. */
@ApiTags('blank-forms')
@RequiresScope('blank-forms')
@Controller('blank-forms')
export class BlankFormsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @CacheByProjection({ readModel: 'blank-forms' })
  @Operation({
    clientSample: 'for await (const each of client.blankForms.list()) console.log(each);',
    summary: 'List blank forms',
    description:
      'One page, ascending by id, with a filter by time by that time, unless `order` says otherwise. Following the next links meets every one once, also while others are added.',
    answer: blankFormsAnswer,
  })
  async listBlankForms(
    @ReadQuery(ListBlankFormsRequest) request: ListBlankFormsRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly BlankForm[]> {
    const range = filteredRangeOf(blankFormFilters, request);
    const { items, next } = await this.queries.execute(new ListBlankForms(range));
    await addTotalCount(reply, request, () => this.queries.execute(new CountBlankForms(range)));
    linkNextPage(reply, request, next);
    return items;
  }

  @Post()
  @Operation({
    clientSample:
      'console.log(await client.blankForms.blankOpen({ blankText: "First", blankInteger: 1n, blankTime: "2026-06-01T20:00:00.000Z", blankFlag: true, blankWord: "blank-first" }));',
    summary: 'Blank open a blank form',
    description: 'With an Idempotency-Key the request can be repeated and is done once.',
    answer: blankFormAnswer,
  })
  async blankOpenBlankForm(
    @ReadBody(newBlankFormBody) values: Unchecked<NewBlankForm>,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BlankForm> {
    const { blankForm, replayed } = await this.commands.execute(new BlankOpenBlankForm(values, metadata, idempotency));
    reply.header('Location', `/v1/blank-forms/${blankForm.id}`);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return blankForm;
  }

  @Get(':blankFormId')
  @CacheByProjection({ readModel: 'blank-forms' })
  @Operation({
    clientSample: 'console.log(await client.blankForms.get(1n));',
    summary: 'Get a blank form',
    description: 'Gives the one with this id.',
    answer: blankFormAnswer,
    refuses: [404],
  })
  async getBlankForm(@ReadId('blankFormId', 'The id that it was given.') id: bigint): Promise<BlankForm> {
    const blankForm = await this.queries.execute(new GetBlankForm(id));
    if (!blankForm) throw new NotFoundError('blank form', id);
    return blankForm;
  }

  // each route
  @Post(':blankFormId/blank-close')
  @Operation({
    clientSample: 'console.log(await client.blankForms.blankClose(1n));',
    summary: 'Blank close a blank form',
    description: 'One that is blank closed already stays as it is.',
    answer: { ...blankFormAnswer, status: 200 },
    refuses: [404],
  })
  async blankCloseBlankForm(
    @ReadId('blankFormId', 'The id that it was given.') id: bigint,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<BlankForm> {
    const { blankForm } = await this.commands.execute(new BlankCloseBlankForm({ id }, metadata));
    return blankForm;
  }

  @Post(':blankFormId/blank-change')
  @Operation({
    clientSample:
      'console.log(await client.blankForms.blankChange(1n, { blankText: "First", blankInteger: 1n, blankTime: "2026-06-01T20:00:00.000Z", blankFlag: true, blankWord: "blank-first" }));',
    summary: 'Blank change a blank form',
    description: 'One that has these values already stays as it is.',
    answer: { ...blankFormAnswer, status: 200 },
    refuses: [404],
  })
  async blankChangeBlankForm(
    @ReadId('blankFormId', 'The id that it was given.') id: bigint,
    @ReadBody(blankChangeBlankFormBody) values: Unchecked<BlankChangeValues>,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<BlankForm> {
    const { blankForm } = await this.commands.execute(new BlankChangeBlankForm({ ...values, id }, metadata));
    return blankForm;
  }
}
