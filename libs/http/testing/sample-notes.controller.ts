import { Controller, Delete, Get, Header, Injectable, Param, Patch, Post, Res } from '@nestjs/common';
import { IsText } from '../validation/rules.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/observability';
import { AdmissionCheck, AdmittedBy, Operation, setHandlerMetadata, type DescribedBody } from '../routes/route-metadata.js';
import { IfMatch, ReadBody } from '../input/read-request.js';
import type { Precondition } from '../caching/conditional-requests.js';

class Note {
  @IsText(100)
  readonly text!: string;
}

const noteBody: DescribedBody = { type: Note, schema: 'SampleNote', noun: 'a note', examples: {} };

/** Refuses the notes with negative ids, those above -10 once it has waited. */
@Injectable()
export class KnownNotes extends AdmissionCheck {
  override check({ params }: FastifyRequest): Promise<void> | void {
    const id = Number((params as { readonly id?: string }).id ?? 0);
    const unknown = new ApplicationError('not_found', `There is no note ${id}.`);
    if (id <= -10) throw unknown;
    return id < 0 ? Promise.reject(unknown) : undefined;
  }
}

/** Notes that are changed under a precondition; there is one, and nothing that is done to it is kept. */
@AdmittedBy(KnownNotes)
@setHandlerMetadata({ access: 'key' })
@Controller('v1/notes')
export class SampleNotesController {
  @Get(':id')
  @Header('Link', '</v1/things>; rel="successor-version"')
  get(@Param('id') id: string): object {
    return noteOf(id);
  }

  @Post()
  add(@ReadBody(noteBody) { text }: { readonly text?: unknown }): object {
    return { text };
  }

  @Patch(':id')
  @Operation({ id: 'changeNote', summary: 'Change it', description: 'It.', answer: { tagged: true, description: 'It.' } })
  change(
    @Param('id') id: string,
    @ReadBody({ ...noteBody, mediaTypes: ['application/merge-patch+json', 'application/json'] }) { text }: { readonly text?: unknown },
    @IfMatch() precondition: Precondition | undefined,
  ): object {
    const note = noteOf(id);
    precondition?.(note);
    return text === undefined ? note : { ...note, text };
  }

  @Delete(':id')
  @Operation({
    id: 'removeNote',
    summary: 'Remove it',
    description: 'It.',
    answer: { status: 204, description: 'It is gone.', headers: { 'X-Removed-Pages': 'How many pages went with it.' } },
  })
  remove(
    @Param('id') id: string,
    @IfMatch() precondition: Precondition | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): void {
    precondition?.(noteOf(id));
    reply.header('X-Removed-Pages', '3');
  }
}

/** As wide a representation as JSON knows. */
function noteOf(id: string): object {
  return { id: BigInt(id), text: 'Käse "🐈"', pages: [1.5, null, true], at: new Date(0), none: undefined };
}
