import { Controller, Get, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { CacheByProjection, linkNextPage, Operation, pageOf, PageRequest, ReadBody, ReadId, ReadQuery } from '#libs/http';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import type { FastifyReply } from 'fastify';
import { CallerMetadata, IdempotencyKey, RequiresScope } from '../../../src/auth/index.js';
import { AddBlankForm, type NewBlankFormValues } from '../commands/add-blank-form.command.js';
import { BlankFormNotFoundError } from '../domain/blank-form.errors.js';
import type { BlankForm } from '../domain/blank-form.js';
import { GetBlankForm, ListBlankForms } from '../queries/blank-forms.query.js';
import { blankFormExample, blankFormSchema, blankFormsSchema, newBlankFormBody } from './blank-form.request.js';

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
    id: 'listBlankForms',
    summary: 'List blank forms',
    description: 'One page, ascending by id. Following the next links meets every one once, also while others are added.',
    answer: { description: 'The page.', schema: blankFormsSchema, examples: { page: { value: [blankFormExample] }, empty: { value: [] } } },
  })
  async listBlankForms(
    @ReadQuery(PageRequest) request: PageRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly BlankForm[]> {
    const { items, next } = await this.queries.execute(new ListBlankForms(pageOf(request)));
    linkNextPage(reply, request, next);
    return items;
  }

  @Post()
  @Operation({
    id: 'createBlankForm',
    summary: 'Add to the blank forms',
    description: 'Adds one and gives it an id. With an Idempotency-Key the request can be repeated without adding a second one.',
    answer: { description: 'What was added.', schema: blankFormSchema, examples: { added: { value: blankFormExample } } },
  })
  async createBlankForm(
    @ReadBody(newBlankFormBody) values: NewBlankFormValues,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BlankForm> {
    const { blankForm, replayed } = await this.commands.execute(new AddBlankForm(values, metadata, idempotency));
    reply.header('Location', `/v1/blank-forms/${blankForm.id}`);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return blankForm;
  }

  @Get(':blankFormId')
  @CacheByProjection({ readModel: 'blank-forms' })
  @Operation({
    id: 'getBlankForm',
    summary: 'Get one of the blank forms',
    description: 'Gives the one with this id.',
    answer: { description: 'The one with this id.', schema: blankFormSchema, examples: { found: { value: blankFormExample } } },
    refuses: [404],
  })
  async getBlankForm(@ReadId('blankFormId', 'The id that it was given.') id: bigint): Promise<BlankForm> {
    const blankForm = await this.queries.execute(new GetBlankForm(id));
    if (!blankForm) throw new BlankFormNotFoundError(id);
    return blankForm;
  }
}
